"""Two replicas of the tournament service on one PostgreSQL: the leader is killed, the other goes on."""

import json
from collections import Counter

import pytest
import redis
from sqlalchemy import text

from bench.lab import ADMIN, Lab
from maumau.client import Arena
from services.shared.leader import identify
from services.tournament.store.watch import events_of
from tests.tournament.arena import WORKER, Worker, played, until

SPEC = """
name = "{name}"
rules = "mau_mau"
secret = "a-secret-that-both-runs-share"
[[stage]]
format = "round_robin"
[[stage]]
format = "single_elimination"
seeds = "previous"
[match]
block = 5
cap = 10
delta = 0.001
"""
OURS = {"WORKER_TOKEN": WORKER}
QUICK = {"LEASE": 2}  # seconds that a worker may be silent
pytestmark = pytest.mark.long


class Cup:
    """A tournament of four bots in a lab, named after the policy by which the test plays them."""

    def __init__(self, lab):
        self.lab, self.id = lab, lab.begin("random", 4, SPEC)
        self.workers = {name: Worker(lab.addresses[name], f"w-{name}") for name in lab.replicas}

    def play(self, blocks, *names):
        """So many blocks at most, by workers of these replicas in turn; how many were played."""
        done = 0
        while done < blocks and not self.is_over():
            worker = self.workers[names[done % len(names)]]
            if order := worker.claim(wait=1.0):
                worker.report(order, played(order))
                done += 1
        return done

    def is_over(self):
        return self.row("SELECT state FROM tournament WHERE id = :id") == "finished"

    def row(self, question):
        with self.lab.database.read() as session:
            return session.execute(text(question), {"id": self.id}).scalar_one()

    def compared(self, name):
        """The lines of its export that no worker and no clock has a part in."""
        with Arena(self.lab.addresses["registry"], self.lab.addresses[name], ADMIN) as admin:
            lines = b"".join(admin.export(self.id)).splitlines()
        return [line for line in lines if json.loads(line)["kind"] not in {"measured", "end"}]

    def events(self):
        """How often each was told: by kind, match and block."""
        stream = events_of(self.id)
        with redis.Redis.from_url(f"{self.lab.redis}/0", decode_responses=True) as client:
            found = [json.loads(fields["entry"]) for _, fields in client.xrange(stream.key(stream.name))]
        return Counter(json.dumps(one, sort_keys=True) for one in found if one["kind"] != "progress")


def test_when_the_leader_is_killed_the_other_takes_over_and_nothing_is_done_twice(tmp_path):
    with Lab("sqlite", tmp_path / "one", **OURS) as lab:
        cup = Cup(lab)
        blocks = cup.play(1000, "tournament")
        expected = cup.compared("tournament")
    with Lab("postgresql", tmp_path / "two", replicas=2, **OURS, **QUICK) as lab:
        cup = Cup(lab)
        cup.play(4, *lab.replicas)
        leader = find_leader(lab)
        (other,) = set(lab.replicas) - {leader}
        assert cup.workers[leader].claim(wait=5.0)  # and is never heard of again
        lab.kill(leader)
        until(lambda: find_leader(lab) == other, 60)
        assert cup.play(1000, other) + 4 == blocks
        assert cup.compared(other) == expected
        until(lambda: not cup.row("SELECT count(*) FROM outbox"))
        assert set(cup.events().values()) == {1}
        assert cup.row("SELECT fence FROM leader") == 2


def find_leader(lab):
    """The replica that leads."""
    holder = text("SELECT holder FROM leader")
    with lab.database.read() as session:
        found = session.execute(holder).scalar()
    names = {identify(lab.addresses[name]): name for name in lab.replicas}
    return names.get(found)
