"""Counts and ages of waiting pairings and bots."""

from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from services.matchmaking.models import Epoch, Ladder, Pairing
from services.matchmaking.store import Ladders
from services.matchmaking.store.census import Census
from services.matchmaking.store.player import ActiveVersion
from services.shared.base.auth import Identity
from services.shared.process.service_status import Counted
from services.shared.store.connect import Database
from tests.support.stores import tables


@pytest.fixture
def database(new_database, tmp_path):
    url = new_database() or f"sqlite:///{tmp_path}/matchmaking.db"
    if url.startswith("sqlite"):
        tables.copy_to(Path(make_url(url).database), "matchmaking")
    found = Database(url, "matchmaking")
    yield found
    found.close()


@pytest.fixture
def ladders(database):
    """`two`, at two seats, and `three`, at three, both without bots."""
    found = Ladders(database, {"win": 4, "places": 0})
    for name, seats in (("two", 2), ("three", 3)):
        terms = {"rules": "mau_mau", "options": "{}", "rules_hash": "h", "deal_ms": 100, "memory": 512}
        found.create_ladder(Ladder(name=name, seats=seats, score="win" if seats == 2 else "places", **terms))
    return found


def join(ladders, name, bot, at):
    ladders.join_ladder(name, bot, ActiveVersion(f"version_{bot}", bot), at, pinned=None)


def test_pairings_that_are_not_over_are_counted_by_state(database, ladders):
    for number, bot in enumerate("ab"):
        join(ladders, "two", bot, number + 1)
    with database.write() as session:
        session.add(Epoch(id="e", ladder="two", number=1, rules_hash="h", state="running"))
        session.flush()
        for label, state in enumerate(("new", "open", "open", "paused", "over"), start=1):
            session.add(
                Pairing(
                    epoch_id="e", label=label, ladder="two", first=0, second=1, kind="new", numbers="{}",
                    sets=20, state=state, made_at=100 * label,
                )
            )  # fmt: skip
    assert Census(database).count_pairings() == {
        "new": Counted(1, 100), "open": Counted(2, 200), "paused": Counted(1, 400),
    }  # fmt: skip


def test_who_waits_longest_for_a_pair_is_found_on_ladders_that_can_pair(database, ladders):
    assert Census(database).count_ready() == Counted(0, 0)
    join(ladders, "two", "a", 50)
    join(ladders, "three", "a", 10)
    join(ladders, "three", "b", 20)
    assert Census(database).count_ready() == Counted(0, 0)  # there are no bots for them yet
    join(ladders, "two", "b", 70)
    assert Census(database).count_ready() == Counted(2, 50)
    join(ladders, "three", "c", 30)
    assert Census(database).count_ready() == Counted(5, 10)


def test_who_has_left_or_cannot_play_waits_for_nothing(database, ladders):
    for number, bot in enumerate("abcd", start=1):
        join(ladders, "two", bot, number)
    ladders.leave_ladder("two", "a", Identity("account_a", "a", frozenset()))
    with database.write() as session:
        session.execute(text("UPDATE member SET words = 'it has no active version' WHERE bot_name = 'b'"))
    assert Census(database).count_ready() == Counted(2, 3)


def test_nobody_waits_on_a_ladder_at_rest_nor_has_waited_when_it_wakes(database, ladders):
    for number, bot in enumerate("ab"):
        join(ladders, "two", bot, number + 1)
    ladders.note_rest("two", "It rests: a test.", "0,1")
    assert Census(database).count_ready() == Counted(0, 0)
    ladders.end_rest("two", 900)
    assert Census(database).count_ready() == Counted(2, 900)
