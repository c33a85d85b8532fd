"""Data that a service keeps about calls are dropped by age and by number."""

import asyncio

import pytest
from sqlalchemy import update

from maumau.errors import AnswerLost, RequestUnderWay
from services.registry.models import RegistryAction as ActionModel
from services.registry.models import RegistryChange as ChangeModel
from services.shared.base import clock
from services.shared.store.action import LoggedAction
from services.shared.store.action_table import ActionTable
from services.shared.store.change import HELD, Change, _current
from services.shared.store.change_table import LARGEST, ChangeTable
from services.shared.store.connect import Database
from tests.support.stores import tables


@pytest.fixture
def database(new_database, tmp_path):
    database = Database(new_database() or f"sqlite:///{tmp_path}/registry.db", "registry")
    tables.add_tables(database, "registry")
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
    table, change = ChangeTable(database, ChangeModel), Change("a" * 64)

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
    assert asyncio.run(table.begin(Change("a" * 64))) == b"said"
    with pytest.raises(RequestUnderWay):  # another replica that began before the mark was there
        asyncio.run(_write(database, Change("a" * 64)))


def test_a_secret_or_very_long_answer_and_that_of_an_error_are_lost_at_once(database):
    table = ChangeTable(database, ChangeModel)
    answers = (b"token", True), (b"." * (LARGEST + 1), False), (None, False)
    for name, (answer, secret) in zip("bcd", answers, strict=True):
        change = Change(name * 64)
        asyncio.run(_write(database, change))
        with pytest.raises(RequestUnderWay):
            asyncio.run(table.begin(change))
        asyncio.run(table.end(change, answer, secret=secret))
        with pytest.raises(AnswerLost):
            asyncio.run(table.begin(change))
    assert table.prune(before=database.now() + 1, most=10) == 3
    assert asyncio.run(table.begin(Change("b" * 64))) is None


def test_a_change_is_under_way_while_somebody_makes_it_and_no_longer(database, monkeypatch):
    """Its service is killed after two renewals; an hour later the clock is set back by a day."""
    table, change, began = ChangeTable(database, ChangeModel), Change("a" * 64), clock.now()
    monkeypatch.setattr(clock, "now", lambda: began)
    asyncio.run(_write(database, change))
    with database.write() as session:  # PostgreSQL has a clock of its own
        session.execute(update(ChangeModel).values(at=began))
    for passed, error in ((HELD - 1, RequestUnderWay), (HELD, AnswerLost)):
        assert _ask_at(table, database, monkeypatch, began + passed) is error
    for now in (began + HELD // 2, began + HELD):
        monkeypatch.setattr(database, "now", lambda now=now: now)
        asyncio.run(table.renew(change))
    last = began + 2 * HELD
    for now, error in (
        (last - 1, RequestUnderWay),
        (last, AnswerLost),
        (last + clock.HOUR, AnswerLost),
        (last - clock.DAY, AnswerLost),
    ):
        assert _ask_at(table, database, monkeypatch, now) is error


def test_a_renewal_that_comes_after_the_end_revives_nothing(database):
    table, change = ChangeTable(database, ChangeModel), Change("a" * 64)
    asyncio.run(_write(database, change))
    asyncio.run(table.end(change, None, secret=False))
    asyncio.run(table.renew(change))
    with pytest.raises(AnswerLost):
        asyncio.run(table.begin(change))


def _ask_at(table, database, monkeypatch, now):
    monkeypatch.setattr(database, "now", lambda: now)
    with pytest.raises((RequestUnderWay, AnswerLost)) as error:
        asyncio.run(table.begin(Change("a" * 64)))
    return error.type


async def _write(database, change):
    _current.set(change)
    with database.write():
        pass
