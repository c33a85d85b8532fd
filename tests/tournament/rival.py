"""A tournament service's stores in a process of their own, where several threads claim and book."""

from concurrent.futures import ThreadPoolExecutor

from bench.support.patience import patient
from maumau.errors import StaleFence
from services.shared.store.connect import Database
from services.tournament.domain.event import BlockDone, Event
from services.tournament.domain.turn import Turns
from services.tournament.store.blocks.booking import BookedResult, Bookings, CheckedReport
from services.tournament.store.blocks.claim import Asker, Claims
from services.tournament.store.blocks.queue import Queue
from services.tournament.store.blocks.renewal import Renewal, Renewals
from tests.support.stores.tournament import LEASE

THREADS, BOTH = 4, 8


def report_of(claim, now):
    label, number = claim.job.label, claim.block.number
    events = [Event(now, "block_done", "in", label, part=BlockDone(number, number, 1))]
    result = BookedResult(claim.block.id, b"", b"", b"", f"{number:064}", now)
    return CheckedReport(claim, claim.block.fence, result, "", [], events, now)


class Rival:
    """A service in its process. Every fifth block is given back once and then reported."""

    def __init__(self, url, now):
        self.database, self.now = Database(url, "tournament"), now
        self.turns = Turns()
        self.claims, self.queue = Claims(self.database, self.turns), Queue(self.database, self.turns)
        self.renewals, self.bookings = Renewals(self.database), Bookings(self.database)

    def play(self, worker):
        """Return the claimed blocks, and the answers to their reports: (block, fence, answers)."""
        told = []
        while claim := self.claims.claim_next(Asker(worker), self.now, self.now + LEASE):
            block, report = claim.block, report_of(claim, self.now)
            renewal = Renewal(block.id, block.fence, 1, self.now, self.now + LEASE, LEASE)
            assert self.renewals.renew_lease(renewal)
            if block.number % 5 == 0 and block.fence == 1:
                self.queue.give_back(block.id, block.fence, "", self.now, self.now)
            told.append((block.id, block.fence, [self.book(report), self.book(report)]))
        return told

    def book(self, report):
        try:
            return self.bookings.book_report(report)
        except StaleFence:
            return "stale"

    def book_again(self, block_id):
        """Return the answer to a second report of the block."""
        return block_id, self.bookings.book_report(report_of(self.bookings.find_claim(block_id)[0], self.now))


def run_rival(url, name, now, start, answers):
    rival = Rival(url, now)
    with ThreadPoolExecutor(THREADS) as pool:
        start.wait(patient(60))
        shared = pool.map(rival.book_again, [f"both-{number}" for number in range(BOTH)])
        played = pool.map(rival.play, [f"{name}{number}" for number in range(THREADS)])
        answers.put((list(shared), [one for each in played for one in each]))
    rival.database.close()
