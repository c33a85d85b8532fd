"""Lists of any length by cursor: each account, bot, author and team once."""

from __future__ import annotations

import pytest
from sqlalchemy import insert

from maumau.errors import BadRequest
from services.registry.models import Account, Bot, Team
from services.registry.store import Accounts, Authors, Bots, Quota, Quotas, Teams
from services.registry.store.bots.bot import WantedBots
from services.registry.store.people.registration import RegistrationBounds
from services.shared.store.connect import Database
from tests.support.stores import tables

NOW = 1_800_000_000_000
ACCOUNTS, BOTS, TEAMS, PAGE = 100_000, 10_000, 1_000, 1_000


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """Return a database with 10⁵ accounts, of which 10⁴ have a bot each and 10³ are teams."""
    folder = tmp_path_factory.mktemp("lists")
    database = Database(f"sqlite:///{folder / 'registry.db'}", "registry")
    tables.add_tables(database, "registry")
    accounts = [
        {"id": f"account_{n}", "name": f"author-{n:06}", "scopes": "author", "created_at": NOW}
        for n in range(ACCOUNTS)
    ]
    bots = [
        {"id": f"bot_{n}", "name": f"bot_{n:05}", "account_id": f"account_{10 * n}", "created_at": NOW}
        for n in range(BOTS)
    ]
    teams = [
        {"account_id": f"account_{100 * n}", "name": f"author-{100 * n:06}", "created_at": NOW}
        for n in range(TEAMS)
    ]
    with database.write() as session:
        for model, rows in ((Account, accounts), (Bot, bots), (Team, teams)):
            session.execute(insert(model), rows)
    yield database
    database.close()


def read_all(ask, name):
    """Return the names of all pages, by the last one's as a cursor."""
    found, after = [], ""
    while page := [name(one) for one in ask(after)]:
        assert len(page) <= PAGE
        found += page
        after = page[-1]
    return found


@pytest.mark.long
def test_each_is_shown_once_in_lists_of_any_length(full):
    accounts = Accounts(full, lambda: NOW, 90, RegistrationBounds(1, 1), "open")
    bots = Bots(full, lambda: NOW, Quotas(Quota(10, 50, 5, 100, 60), lambda: NOW))
    authors, teams = Authors(full), Teams(full, lambda: NOW, 10)
    everybody = read_all(lambda after: accounts.list_accounts(after, "", PAGE), lambda one: one.account.name)
    assert everybody == [f"author-{n:06}" for n in range(ACCOUNTS)]
    owned = read_all(lambda after: bots.list_bots(None, WantedBots(), after, PAGE), lambda one: one.bot.name)
    assert owned == [f"bot_{n:05}" for n in range(BOTS)]
    owners = read_all(lambda after: authors.list_authors("", "", after, PAGE), lambda one: one.name)
    assert owners == [f"author-{10 * n:06}" for n in range(BOTS)]
    found = read_all(lambda after: teams.list_teams("", after, PAGE), lambda one: one.team.name)
    assert found == [f"author-{100 * n:06}" for n in range(TEAMS)]


@pytest.mark.long
def test_a_search_in_long_lists_finds_each_once_and_takes_no_pattern(full):
    bots = Bots(full, lambda: NOW, Quotas(Quota(10, 50, 5, 100, 60), lambda: NOW))

    def find(part):
        wanted = WantedBots(part=part)
        return read_all(lambda after: bots.list_bots(None, wanted, after, PAGE), lambda one: one.bot.name)

    assert find("_001") == [f"bot_{n:05}" for n in range(100, 200)]
    assert find("t__") == []  # an underscore stands for itself
    assert [one.bot.name for one in bots.list_bots(None, WantedBots(owner="author-000120"), "", PAGE)] == [
        "bot_00012"
    ]
    with pytest.raises(BadRequest, match="in no name"):
        find("%")
