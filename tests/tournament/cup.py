"""A tournament of four bots in a lab, played by workers of the tests: what two runs of it must share."""

import json
from collections import Counter

import redis
from sqlalchemy import text

from bench.lab import ADMIN
from bench.patience import Deadline
from maumau.client import Arena
from maumau.errors import ArenaUnreachable, BrokerUnavailable, DatabaseUnavailable, DiskFull, StaleFence
from services.shared.leader import identify
from services.tournament.store.watch import events_of
from tests.tournament.arena import WORKER, Worker, until
from tests.tournament.play import played

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
"""What a call may say while a store or a service is away: it is made again."""


def insist(call, seconds=60):
    """Its answer, however often it has to be asked while something is away."""
    last = Deadline(seconds)
    while True:
        try:
            return call()
        except AWAY:
            if last.has_passed():
                raise
            last.pause()


def compared(export):
    """The lines of an export that no worker and no clock has a part in."""
    return [line for line in export.splitlines() if json.loads(line)["kind"] not in {"measured", "end"}]


class Cup:
    """The tournament; its bots are named after the policy by which the test plays them.

    late: how many reports came after their lease, which a busy host does not avoid. booked: how often a
    report of each block was taken.
    """

    def __init__(self, lab):
        self.lab, self.id = lab, lab.begin("random", 4, SPEC)
        self.workers = {name: Worker(lab.addresses[name], f"w-{name}") for name in lab.replicas}
        self.late, self.booked = 0, Counter()

    def play(self, blocks, *names):
        """So many blocks at most, by workers of these replicas in turn; how many were played."""
        done, last = 0, Deadline(120)
        while done < blocks and not insist(self.is_over):
            assert not last.has_passed(), f"{done} blocks were played"
            worker = self.workers[names[done % len(names)]]
            if order := insist(lambda worker=worker: worker.claim(wait=1.0)):
                done += self.report(worker, order)
        return done

    def finish(self):
        """The compared lines at its end, which all replicas give alike."""
        names = self.lab.replicas
        self.play(1000, *names)
        self.wait_until_told()
        exports = [insist(lambda name=name: self.compared(name)) for name in names]
        assert all(export == exports[0] for export in exports)
        return exports[0]

    def report(self, worker, order):
        sets = played(order)
        try:
            insist(lambda: worker.report(order, sets))
        except StaleFence:
            self.late += 1
            return False
        self.booked[order.block_id] += 1
        return True

    def is_over(self):
        return self.row("SELECT state FROM tournament WHERE id = :id") == "finished"

    def row(self, question):
        with self.lab.database.read() as session:
            return session.execute(text(question), {"id": self.id}).scalar_one()

    def compared(self, name):
        """Of the export that this replica gives."""
        with Arena(self.lab.addresses["registry"], self.lab.addresses[name], ADMIN) as admin:
            return compared(b"".join(admin.export(self.id)))

    def events(self):
        """How often each was told: by kind, match and block."""
        stream = events_of(self.id)
        with redis.Redis.from_url(f"{self.lab.redis}/0", decode_responses=True) as client:
            found = [json.loads(fields["entry"]) for _, fields in client.xrange(stream.key(stream.name))]
        return Counter(json.dumps(one, sort_keys=True) for one in found if one["kind"] != "progress")

    def wait_until_told(self):
        until(lambda: not insist(lambda: self.row("SELECT count(*) FROM outbox")), 60)

    def find_leader(self):
        """The replica that leads."""
        holder = self.row("SELECT holder FROM leader")
        return {identify(self.lab.addresses[name]): name for name in self.lab.replicas}.get(holder)
