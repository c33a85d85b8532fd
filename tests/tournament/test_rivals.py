"""Two services on one PostgreSQL, each with several threads, claim and book at the same time."""

import multiprocessing
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select
from sqlmodel import col

from bench.patience import patient
from maumau.contest.chain import Booking, add_link
from maumau.errors import StaleFence
from services.shared.connect import Database
from services.tournament.event import BlockDone, Event
from services.tournament.models import BlockResult, Contest, Job, Outbox
from services.tournament.store.booking import Bookings, CheckedReport, Result
from services.tournament.store.claim import Asker, Claims
from services.tournament.store.queue import Queue
from services.tournament.store.renewal import Renewal, Renewals
from services.tournament.turn import Turns
from tests.tournament.store import LEASE, Store

THREADS, ALONE, BOTH = 4, 60, 8
SPAWN = multiprocessing.get_context("spawn")


def report_of(claim, now):
    label, number = claim.job.label, claim.block.number
    events = [Event(now, "block_done", "in", label, part=BlockDone(number, number, 1))]
    result = Result(claim.block.id, b"", b"", b"", f"{number:064}", now)
    return CheckedReport(claim, claim.block.fence, result, "", [], events, now)


class Rival:
    """A service in its process. Every fifth block is given back once and then reported."""

    def __init__(self, url, now):
        self.database, self.now = Database(url, "tournament"), now
        self.turns = Turns()
        self.claims, self.queue = Claims(self.database, self.turns), Queue(self.database, self.turns)
        self.renewals, self.bookings = Renewals(self.database), Bookings(self.database)

    def play(self, worker):
        """What it claimed, and how its reports were received: (block, fence, answers)."""
        told = []
        while claim := self.claims.claim(Asker(worker), self.now, self.now + LEASE):
            block, report = claim.block, report_of(claim, self.now)
            renewal = Renewal(block.id, block.fence, 1, self.now, self.now + LEASE, LEASE)
            assert self.renewals.renew(renewal)
            if block.number % 5 == 0 and block.fence == 1:
                self.queue.give_back(block.id, block.fence, "", self.now, self.now)
            told.append((block.id, block.fence, [self.book(report), self.book(report)]))
        return told

    def book(self, report):
        try:
            return self.bookings.book(report)
        except StaleFence:
            return "stale"

    def book_again(self, block_id):
        """What both were told of."""
        return block_id, self.bookings.book(report_of(self.bookings.find(block_id)[0], self.now))


def run_rival(url, name, now, start, answers):
    rival = Rival(url, now)
    with ThreadPoolExecutor(THREADS) as pool:
        start.wait(patient(60))
        shared = pool.map(rival.book_again, [f"both-{number}" for number in range(BOTH)])
        played = pool.map(rival.play, [f"{name}{number}" for number in range(THREADS)])
        answers.put((list(shared), [one for each in played for one in each]))
    rival.database.close()


@pytest.fixture
def store(postgresql_url):
    store = Store(postgresql_url)
    for block in ("12", "13", "14", "23", "24", "34"):
        store.end(block)
    store.url = postgresql_url
    yield store
    store.database.close()


@pytest.mark.long
def test_two_services_at_once_claim_each_block_once_and_book_it_once(store):
    store.add_contest("both", BOTH)
    store.add_contest("alone", ALONE)
    for number in range(BOTH):
        store.claim(f"both-{number}", "w")
    shared, played = compete(store)
    claimed = Counter((block, fence) for block, fence, _ in played)
    again = {f"alone-{number}" for number in range(0, ALONE, 5)}
    assert claimed == Counter(
        [(f"alone-{n}", 1) for n in range(ALONE)] + [(block, 2) for block in again]
    )  # fmt: skip
    for block, fence, answers in played:
        assert answers == (["stale", "stale"] if block in again and fence == 1 else [True, False])
    assert Counter(shared) == Counter((f"both-{n}", stored) for n in range(BOTH) for stored in (True, False))
    check_chain(store, "alone", ALONE)
    check_chain(store, "both", BOTH)


def compete(store):
    """What two processes were told of the blocks of both, and of those that each claimed."""
    start, answers = SPAWN.Barrier(2), SPAWN.Queue()
    rivals = [
        SPAWN.Process(target=run_rival, args=(store.url, name, store.now, start, answers)) for name in "ab"
    ]
    for rival in rivals:
        rival.start()
    try:
        told = [answers.get(timeout=patient(90)) for _ in rivals]
    finally:
        for rival in rivals:
            rival.join(patient(10))
            rival.kill()
    return [one for shared, _ in told for one in shared], [one for _, played in told for one in played]


def check_chain(store, name, count):
    """One result of every block, each a link, told once, and the sums of the contest and of its job."""
    with store.database.read() as session:
        contest, job = session.get_one(Contest, name), session.get_one(Job, name)
        booked = select(BlockResult).where(col(BlockResult.block_id).startswith(f"{name}-"))
        results = session.scalars(booked.order_by(col(BlockResult.booking))).all()
        told = session.scalar(select(func.count()).where(col(Outbox.contest_id) == name))
    chain = contest.root
    for one in results:
        chain = add_link(chain, Booking(job.label, job.take, int(one.digest), one.digest))
        assert one.chain == chain
    assert [one.booking for one in results] == list(range(1, count + 1))
    assert {one.block_id for one in results} == {f"{name}-{number}" for number in range(count)}
    assert (contest.booked, contest.chain, contest.changes) == (count, chain, count)
    assert (job.changed, job.started_at, told) == (count, store.now, count)
