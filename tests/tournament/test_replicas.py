"""Replicas of services are killed: the others go on, and everything ends as if nothing had happened."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bench.support.lab import Lab
from tests.support.arenas.cup import OURS, QUICK, Cup
from tests.support.arenas.matchmaker import play_to_the_end
from tests.support.waiting import until
from tests.tournament.two_replicas import LabArena, LiveTable, check_the_other, start_lab

pytestmark = pytest.mark.long


def test_when_the_leader_is_killed_the_other_takes_over_and_nothing_is_done_twice(undisturbed, tmp_path):
    with Lab("postgresql", tmp_path / "two", replicas=2, **OURS, **QUICK) as lab:
        cup = Cup(lab)
        cup.play(4, *lab.replicas)
        leader = cup.find_leader()
        (other,) = set(lab.replicas) - {leader}
        lost = cup.workers[leader].claim(wait=5.0)
        lab.kill(leader)
        until(lambda: cup.find_leader() == other, 60)
        cup.play(1000, other)
        assert set(cup.booked.values()) == {1}
        assert lost.block_id in cup.booked
        assert cup.compared(other) == undisturbed
        cup.wait_until_published()
        assert set(cup.events().values()) == {1}
        assert cup.row("SELECT fence FROM leader") == 2


def test_every_replica_of_every_service_is_killed_in_turn(undisturbed, tmp_path):
    """A cup is played, and a ladder and a live table beside it."""
    with start_lab(tmp_path / "lab") as lab:
        arena = LabArena(lab)
        ladder = arena.ladder(*arena.field("first", "random"))
        cup, table = Cup(lab), LiveTable(arena)
        for name in lab.addresses:
            with ThreadPoolExecutor(1) as playing:
                played = playing.submit(cup.play, 1, *lab.replicas)
                lab.kill(name)
                check_the_other(arena, cup, ladder, table, name)
                lab.start(name)
                assert played.result() == 1
        assert not cup.is_over()
        assert cup.finish() == undisturbed
        assert set(cup.booked.values()) == {1}
        table.finish(f"{lab.redis}/0")
        arena.leave(ladder)
        play_to_the_end(arena, ladder)
        assert any(one.booked for one in arena.pairings(ladder))
