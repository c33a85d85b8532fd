"""Two replicas of the tournament service on one PostgreSQL: the leader is killed, the other goes on."""

import pytest

from bench.lab import Lab
from tests.tournament.arena import until
from tests.tournament.cup import OURS, QUICK, Cup

pytestmark = pytest.mark.long


def test_when_the_leader_is_killed_the_other_takes_over_and_nothing_is_done_twice(tmp_path):
    with Lab("sqlite", tmp_path / "one", **OURS) as lab:
        cup = Cup(lab)
        cup.play(1000, "tournament")
        expected = cup.compared("tournament")
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
        assert cup.compared(other) == expected
        cup.wait_until_told()
        assert set(cup.events().values()) == {1}
        assert cup.row("SELECT fence FROM leader") == 2
