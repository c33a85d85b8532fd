"""Who loses pairing after pairing of a ladder by its own doing is suspended, and its author told."""

from __future__ import annotations

import uuid

import pytest

from services.matchmaking import faults
from services.matchmaking.faults import FaultWatch
from tests.support.waiting import until


@pytest.fixture(autouse=True)
def usual_patience(monkeypatch):
    monkeypatch.setattr(faults, "IN_A_ROW", 3)


def test_three_pairings_in_a_row_with_faults_in_most_deals_are_enough() -> None:
    """Of 40 deals 20 are most; a pairing without as many begins the count anew."""
    watch = FaultWatch(None, None)
    assert watch.count_faults(("a", "b"), (20, 0), 40) == []
    assert watch.count_faults(("b", "a"), (0, 40), 40) == []
    assert watch.count_faults(("a", "b"), (19, 0), 40) == []
    assert [watch.count_faults(("c", "a"), (0, 40), 40) for _ in range(3)] == [[], [], ["a"]]
    assert watch.count_faults(("a", "b", "c"), (30, 0, 0), 60) == ["a"]  # the registry did not answer before


@pytest.mark.long
def test_a_bot_that_never_answers_is_suspended_within_its_first_pairings(arena) -> None:
    author, _ = arena.author()
    silent = arena.bot("crash", client=author, name=f"crash-{uuid.uuid4().hex[:8]}")
    name = arena.ladder(silent, *arena.field("first", "random"))
    arena.play(lambda: arena.version(silent).state == "suspended")
    (bot,) = [one for one in author.bots(mine=True) if one.name == silent]
    reason = bot.versions[0].reason
    assert reason.startswith(f"faults in most deals of 3 pairings in a row on the ladder {name}, last in 1.")

    def is_out() -> bool:
        return any(one.bot_name == silent and "suspended" in one.words for one in arena.lines(name))

    until(is_out)
    assert {arena.version(one).state for one in arena.field("first", "random")} == {"active"}
    arena.leave(name)
