"""A ladder with nothing left to learn rests, says why wherever it is shown, and wakes for whoever is new."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from sqlalchemy import make_url

from maumau.contest.ladder import rest
from services.matchmaking.models import Ladder
from services.matchmaking.store import Ladders
from services.matchmaking.upkeep.keeper import Keeper
from services.shared.store.connect import Database
from tests.support.arenas.tournament import ADMIN
from tests.support.stores import tables
from tests.support.terminal import home_of
from tests.support.waiting import until

pytestmark = pytest.mark.long

MINUTE = 60_000  # ms


def rest_of(arena, name):
    """Why the ladder rests, by RPC."""
    (ladder,) = [one for one in arena.calls().ListLadders(page_size=1000).ladders if one.name == name]
    return ladder.rests and ladder.words


def is_idle(arena, name):
    return all(one.booked == one.sets for one in arena.pairings(name)) and arena.worker.claim() is None


def test_a_ladder_rests_when_its_bots_are_told_apart_and_wakes_for_one_more(
    arena, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(rest, "LEAST_SETS", 60)
    strong, weak = arena.bot("first"), arena.bot("crash")
    name = arena.ladder(strong, arena.bot("random"))
    words = arena.play(lambda: rest_of(arena, name))
    assert "are told apart, with 99% confidence" in words
    assert min(line.sets for line in arena.lines(name)) >= 60
    arena.play(lambda: is_idle(arena, name))
    made = len(arena.pairings(name, page_size=1000))
    home = home_of(arena, tmp_path / "home", ADMIN)
    assert "It rests: the two bots are told apart" in home.run("ladder", "show", name).out
    listed = home.run("ladder", "list").out.splitlines()
    assert [line.split()[-1] for line in listed if line.startswith(f"{name} ")] == ["rests"]
    assert f"{name}: {words}" in " ".join(listed)
    assert json.loads(home.run("ladder", "show", name, "--json").out)["ladder"]["words"] == words
    (epoch,) = until(lambda: [e for e in arena.calls().ListEpochs(ladder=name).epochs if e.secret])
    assert epoch.number == 1  # a ladder at rest has published its secret
    assert len(arena.pairings(name, page_size=1000)) == made
    arena.join(name, weak)
    assert not rest_of(arena, name)
    arena.play(lambda: len(arena.pairings(name, page_size=1000)) > made)
    assert arena.pairings(name)[0].epoch == 2
    arena.leave(name)


def test_joining_and_leaving_again_and_again_begins_no_epoch_in_which_nothing_is_learnt(
    arena, monkeypatch
) -> None:
    monkeypatch.setattr(rest, "LEAST_SETS", 20)
    monkeypatch.setattr(rest, "TARGET", 10_000.0)  # whoever has played enough is known well enough
    restless = arena.bot("random")
    name = arena.ladder(arena.bot("first"), arena.bot("random"), restless)
    arena.play(lambda: rest_of(arena, name))
    begun = len(arena.calls().ListEpochs(ladder=name).epochs)
    for _ in range(3):
        arena.calls().LeaveLadder(ladder=name, bot_name=restless)
        arena.play(lambda: rest_of(arena, name))
        arena.join(name, restless)
        arena.play(lambda: rest_of(arena, name))
    assert len(arena.calls().ListEpochs(ladder=name).epochs) == begun
    arena.leave(name)


@pytest.fixture
def busy(new_database, tmp_path):
    """Yield a ladder without bots: its store, its keeper, and the time in a list."""
    url = new_database() or f"sqlite:///{tmp_path}/matchmaking.db"
    if url.startswith("sqlite"):
        tables.copy_to(Path(make_url(url).database), "matchmaking")
    database, now = Database(url, "matchmaking"), [0]
    ladders = Ladders(database, {"win": 4})
    ladders.create_ladder(
        Ladder(name="busy", rules="mau_mau", options="{}", rules_hash="h", score="win", deal_ms=1, memory=1)
    )
    yield ladders, Keeper(ladders, None, None, None, lambda: now[0], None, None), now
    database.close()


def test_at_most_six_epochs_of_a_ladder_begin_within_an_hour(busy) -> None:
    ladders, keeper, now = busy

    def may_begin(at):
        now[0] = at
        return asyncio.run(keeper.may_begin_epoch("busy"))

    for minute in range(6):
        assert may_begin(minute * MINUTE)
        ladders.add_epoch("busy", "h", now[0])
    assert not may_begin(6 * MINUTE)
    assert not may_begin(60 * MINUTE - 1)
    assert may_begin(60 * MINUTE)
    ladders.add_epoch("busy", "h", now[0])
    assert not may_begin(61 * MINUTE - 1)
    assert may_begin(61 * MINUTE)


def test_the_sixth_epoch_within_an_hour_goes_on_through_rests(busy) -> None:
    """So whoever joins then wakes the ladder; the epoch ends in the first rest after that hour."""
    ladders, keeper, now = busy

    def rest(at, players):
        now[0] = at
        asyncio.run(keeper._store_rest(ladders.find_ladder("busy"), "It rests: a test.", players))
        return ladders.last_epoch("busy").state

    for minute in range(5):
        ladders.add_epoch("busy", "h", minute * MINUTE)
        assert rest(minute * MINUTE, "0,1") == "closed"
    ladders.add_epoch("busy", "h", 5 * MINUTE)
    assert rest(6 * MINUTE, "0,1") == "new"
    assert not asyncio.run(keeper._keep_at_rest(ladders.find_ladder("busy")))  # nobody of "0,1" is there
    assert not ladders.find_ladder("busy").rests
    assert rest(7 * MINUTE, "") == "new"
    now[0] = 60 * MINUTE
    assert asyncio.run(keeper._keep_at_rest(ladders.find_ladder("busy")))
    assert ladders.last_epoch("busy").state == "closed"


def test_a_rest_outlives_a_restart_and_ends_with_another_version_and_when_somebody_leaves(start) -> None:
    with start(sweep=0.2) as arena:
        one, other = arena.bot("first"), arena.bot("random")
        name = arena.ladder(one, other)
        words = arena.play(lambda: rest_of(arena, name))
        arena.stop()
        arena.begin()
        assert rest_of(arena, name) == words
        made = len(arena.pairings(name, page_size=1000))
        version = arena.admin.submit(other, arena.program(f"{other}-2")).version
        arena.pass_validation(version.id, ("mau_mau",))
        arena.admin.activate(version.id)
        arena.play(lambda: len(arena.pairings(name, page_size=1000)) > made)
        arena.calls().LeaveLadder(ladder=name, bot_name=other)
        (shown,) = [each.words for each in arena.calls().ListLadders().ladders if each.name == name]
        assert shown == "It takes 2 bots; 1 can play."
