"""A tournament of four bots in a lab, played by workers of the tests: what two runs of it must share."""

import json
from collections import Counter

import redis
from sqlalchemy import text

from bench.support.lab import ADMIN
from bench.support.patience import Deadline
from maumau.client.arena import Arena
from maumau.errors import (
    ArenaUnreachable,
    BlockDropped,
    BrokerUnavailable,
    DatabaseUnavailable,
    DiskFull,
    StaleFence,
)
from services.shared.store.leader import identify
from services.tournament.store.broadcast.watch import events_of
from tests.support.arenas.play import keep_ordered, play_order
from tests.support.arenas.tournament import WORKER, Worker
from tests.support.waiting import until

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
AWAY = (ArenaUnreachable, BrokerUnavailable, DatabaseUnavailable, DiskFull)
"""Errors of calls while a store or a service is away, after which they are repeated."""


def insist_on(call, seconds=60):
    """Return its answer, asking again while a store or a service is away."""
    last = Deadline(seconds)
    while True:
        try:
            return call()
        except AWAY:
            if last.has_passed():
                raise
            last.pause()


def compared_lines(export):
    """Return the lines of an export that depend on no worker and no clock."""
    return [line for line in export.splitlines() if json.loads(line)["kind"] not in {"measured", "end"}]


class Cup:
    """The tournament; its bots are named after the policy by which the test plays them.

    late: how many reports came after their lease, which a busy host does not avoid. unheard: how many claims
    failed, each of which may have been granted. booked: how often a report of each block was taken.
    """

    def __init__(self, lab):
        self.lab, self.id = lab, lab.begin("random", 4, SPEC)
        self.workers = {name: Worker(lab.addresses[name], f"w-{name}") for name in lab.replicas}
        self.late, self.unheard, self.booked = 0, 0, Counter()

    def play(self, blocks, *names):
        """Play at most this many blocks, by workers of these replicas in turn; return the number played.

        A cup may take as long as it goes on: 120 seconds without a block are too many.
        """
        done, last = 0, Deadline(120)
        while done < blocks and not insist_on(self.is_over):
            assert not last.has_passed(), f"{done} blocks were played"
            worker = self.workers[names[done % len(names)]]
            if order := insist_on(lambda worker=worker: self.claim(worker)):
                done, last = done + self.report(worker, order), Deadline(120)
        return done

    def claim(self, worker):
        """Return an order for this worker, if there is one within a second."""
        try:
            return worker.claim(wait=1.0)
        except AWAY:
            self.unheard += 1
            raise

    def finish(self):
        """Return the compared lines at its end, which all replicas give alike."""
        names = self.lab.replicas
        self.play(1000, *names)
        self.wait_until_published()
        exports = [insist_on(lambda name=name: self.compared(name)) for name in names]
        assert all(export == exports[0] for export in exports)
        return exports[0]

    def report(self, worker, order):
        sets = keep_ordered(order, play_order(order))
        try:
            insist_on(lambda: worker.report(order, sets))
        except StaleFence:
            self.late += 1
            return False
        except BlockDropped:  # the cup has ended meanwhile
            return False
        self.booked[order.block_id] += 1
        return True

    def is_over(self):
        return self.row("SELECT state FROM tournament WHERE id = :id") == "finished"

    def row(self, question):
        with self.lab.database.read() as session:
            return session.execute(text(question), {"id": self.id}).scalar_one()

    def compared(self, name):
        """Return the compared lines of this replica's export."""
        with Arena(self.lab.addresses["registry"], self.lab.addresses[name], ADMIN) as admin:
            return compared_lines(b"".join(admin.export(self.id)))

    def events(self):
        """Return how often each event was published: by kind, match and block."""
        stream = events_of(self.id)
        with redis.Redis.from_url(f"{self.lab.redis}/0", decode_responses=True) as client:
            found = [
                json.loads(fields["entry"]) for _, fields in client.xrange(stream.build_key(stream.name))
            ]
        return Counter(json.dumps(one, sort_keys=True) for one in found if one["kind"] != "progress")

    def wait_until_published(self):
        until(lambda: not insist_on(lambda: self.row("SELECT count(*) FROM outbox")), 60)

    def find_leader(self):
        """Return the leading replica."""
        holder = self.row("SELECT holder FROM leader")
        return {identify(self.lab.addresses[name]): name for name in self.lab.replicas}.get(holder)
