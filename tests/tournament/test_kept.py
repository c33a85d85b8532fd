"""Data that a service keeps about calls are dropped by age and by number."""

import asyncio

import pytest

from maumau.errors import RequestUnderWay
from services.registry.app import MIGRATIONS
from services.registry.models import RegistryAction as ActionModel
from services.registry.models import RegistryChange as ChangeModel
from services.registry.models import Table
from services.shared.store import migrate
from services.shared.store.action import LoggedAction
from services.shared.store.action_table import ActionTable
from services.shared.store.change import Change, _current
from services.shared.store.change_table import LARGEST, ChangeTable
from services.shared.store.connect import Database


@pytest.fixture
def database(new_database, tmp_path):
    database = Database(new_database() or f"sqlite:///{tmp_path}/registry.db", "registry")
    migrate.upgrade(database, MIGRATIONS, Table.metadata)
    yield database
    database.close()


def test_actions_are_forgotten_by_their_age_and_their_number(database):
    table = ActionTable(database, ActionModel)
    for at in range(10):
        table.add(
            LoggedAction(f"action_{at}", at, "RegistryService", "CreateToken", "admin", "", "OK", "request_1")
        )
    assert table.prune(before=3, most=100) == 3
    assert table.prune(before=3, most=5) == 2
    assert [one.at for one in table.before("", 100)] == [9, 8, 7, 6, 5]
    assert table.prune(before=3, most=5) == 0


def test_a_mark_is_there_with_what_was_changed_or_not_at_all(database):
    table, change = ChangeTable(database, ChangeModel), Change("a" * 64, 1)

    async def make(*, fails):
        _current.set(change)
        with database.write():
            if fails:
                raise ValueError
        await table.end(change, b"said", secret=False)

    with pytest.raises(ValueError):
        asyncio.run(make(fails=True))
    assert (asyncio.run(table.begin(change)), change.is_marked) == (None, False)
    asyncio.run(make(fails=False))
    assert asyncio.run(table.begin(Change("a" * 64, 2))) == b"said"
    with pytest.raises(RequestUnderWay):  # another replica that began before the mark was there
        asyncio.run(_write(database, Change("a" * 64, 2)))


def test_a_secret_or_very_long_answer_is_not_stored(database):
    table = ChangeTable(database, ChangeModel)
    for name, answer, secret in (("b", b"token", True), ("c", b"." * (LARGEST + 1), False)):
        change = Change(name * 64, 1)
        asyncio.run(_write(database, change))
        asyncio.run(table.end(change, answer, secret=secret))
        with pytest.raises(RequestUnderWay):
            asyncio.run(table.begin(change))
    assert table.prune(before=2, most=10) == 2
    assert asyncio.run(table.begin(Change("b" * 64, 3))) is None


async def _write(database, change):
    _current.set(change)
    with database.write():
        pass
