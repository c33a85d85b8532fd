"""The stores of a tournament service on a database of their own, and a clock that is set by hand."""

import shutil
from functools import cache
from itertools import combinations

from sqlalchemy import make_url

from services.shared.base.clock import DAY
from services.shared.store.connect import Database
from services.tournament.domain.turn import Turns
from services.tournament.models import Block, Contest, Entry, Job, JobSeat, Match, Tournament
from services.tournament.store.blocks.claim import Asker, Claims
from services.tournament.store.blocks.queue import Queue
from services.tournament.store.blocks.reaper import Reaper
from services.tournament.store.blocks.renewal import Renewal, Renewals
from services.tournament.store.blocks.seating import PlayedSeatings
from services.tournament.store.blocks.worker import Workers
from services.tournament.store.upkeep.trouble import Troubles
from tests.support.stores import tables

LEASE, LIMIT = 60_000, 5
TERMS = {"rules": "mau_mau", "options": "{}", "rules_hash": "", "secret": ""}


class Store:
    """`cup`, a tournament of four, with a block of each match: 12, 13 … 34; times are ms."""

    def __init__(self, url):
        is_copy = url.startswith("sqlite")
        if is_copy:
            shutil.copyfile(_make_cup(), make_url(url).database)
        self.database = Database(url, "tournament")
        self.claims, self.renewals = Claims(self.database, Turns()), Renewals(self.database)
        self.queue, self.reaper = Queue(self.database, self.claims.turns), Reaper(self.database, LIMIT)
        self.seatings = PlayedSeatings(self.database)
        self.workers, self.troubles = Workers(self.database), Troubles(self.database)
        self.now = 1000 * DAY
        if not is_copy:
            with self.database.write() as session:
                _add_cup(session)

    def add_contest(self, name, blocks, **fields):
        """Add a running contest of one job with this many blocks: name-0, name-1 …"""
        with self.database.write() as session:
            add_contest(session, name, **fields)
            add_job(session, name, name, "1.1.1", range(1, 1 + fields.get("seats", 2)))
            for number in range(blocks):
                session.add(
                    Block(
                        id=f"{name}-{number}", job_id=name, contest_id=name, number=number, first_set=number,
                        sets=1,
                    )
                )  # fmt: skip

    def claim(self, block_id, worker, memory=0):
        return self.claims.claim_block(block_id, Asker(worker, memory), self.now, self.now + LEASE)

    def renew(self, block_id, fence, deals):
        """Renew for half a lease, with progress in any case."""
        until = self.now + LEASE // 2
        return self.renewals.renew_lease(Renewal(block_id, fence, deals, self.now, until, 10**9))

    def claim_next(self, worker="w", **fields):
        """Return the id of the next block, or None."""
        claim = self.claims.claim_next(Asker(worker, **fields), self.now, self.now + LEASE)
        return claim and claim.block.id

    def end(self, block_id):
        """Mark the block as played."""
        with self.database.write() as session:
            session.get_one(Block, block_id).state = "done"

    def fail(self, block_id, worker):
        """Claim the block and give it back with words; return True if it was claimed."""
        if claim := self.claim(block_id, worker):
            self.queue.give_back(block_id, claim.block.fence, "it does not start", self.now, self.now)
        return claim is not None

    def state(self, block_id):
        """Return the states of the block and of its job."""
        with self.database.read() as session:
            block = session.get_one(Block, block_id)
            return block.state, session.get_one(Job, block.job_id).state

    def runs(self):
        """Return the failed runs that may be a bot's fault."""
        return sorted((run.block_id, run.worker) for run in self.troubles.list_failed("cup")[0])


def add_contest(session, name, **fields):
    terms = {
        "purpose": "tournament",
        "author": "admin",
        "state": "running",
        "memory": 512,
        "seats": 2,
    } | fields
    session.add(Contest(id=name, score="win", deal_ms=100, **TERMS | terms))
    session.flush()


def add_job(session, job_id, contest_id, label, pair):
    session.add(Job(id=job_id, contest_id=contest_id, label=label))
    session.flush()
    session.add_all(
        JobSeat(
            job_id=job_id, position=position, number=number, version_id=f"v{number}", sha256=f"{number:064}",
            bot_name=f"bot-{number}", account_name="admin",
        )
        for position, number in enumerate(pair)
    )  # fmt: skip


@cache
def _make_cup():
    """Return a SQLite file with the cup, to be copied."""
    file = tables.make_folder() / "cup.db"
    tables.copy_to(file, "tournament")
    database = Database(f"sqlite:///{file}", "tournament")
    with database.write() as session:
        _add_cup(session)
    database.close()
    return file


def _add_cup(session):
    add_contest(session, "cup")
    cup = Tournament(
        id="cup", name="cup", state="running", spec="", secret_given=False, commitment="", **TERMS
    )
    session.add(cup)
    session.flush()
    session.add_all(
        Entry(
            id=f"e{number}", tournament_id="cup", number=number, bot_name=f"bot-{number}",
            account_name="admin", version_id=f"v{number}", sha256=f"{number:064}",
        )
        for number in range(1, 5)
    )  # fmt: skip
    for number, (first, second) in enumerate(combinations(range(1, 5), 2), start=1):
        job_id, label = f"m{first}{second}", f"1.1.{number}"
        match = Match(
            id=job_id, tournament_id="cup", label=label, stage=1, round=1, number=number, first=first,
            second=second, bracket=False, better_seed=first,
        )  # fmt: skip
        session.add(match)
        add_job(session, job_id, "cup", label, (first, second))
        block = {"id": f"{first}{second}", "number": 0, "first_set": 0, "sets": 10}
        session.add(Block(job_id=job_id, contest_id="cup", **block))
