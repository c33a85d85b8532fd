"""Isolations: seatings played again alone, and their outcomes. Times are ms since 1970.

A copy belongs to a contest of its own, as an audit does: with the original's secret, root and labels, so
that the seeds are equal. No call returns that contest or its secret.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import func, select
from sqlmodel import Session, col

from maumau.contest.export.foreknowledge import Marks
from maumau.contest.seed import deal_seeds
from maumau.referee.block import SetOutcome
from services.shared.base.ident import new_id
from services.shared.store.connect import Database
from services.tournament.domain.isolation import Plan, isolate_seating, read_isolated
from services.tournament.domain.pack import expand_bytes
from services.tournament.models import Block, BlockResult, Contest, Entry, FirstRun, Isolation, Job, JobSeat
from services.tournament.store.blocks.audit import bar_players, copy_job, open_copy
from services.tournament.store.blocks.queue import find_block
from services.tournament.store.blocks.seating import list_players

EntrantMarks = dict[str, tuple[str, str]]
"""Marks in told and in fresh deals, by the entrant's number."""


class PlayedAgain(NamedTuple):
    """A seating as it was booked and as it was played again alone, by deal.

    entrants: numbers by position. is_done: the copy is booked; is_lost: it never will be booked.
    """

    seating: int
    entrants: list[int]
    booked: Sequence[SetOutcome]
    again: Sequence[SetOutcome]
    is_done: bool
    is_lost: bool


class Found(NamedTuple):
    """An open isolation; fresh is None if it only screens."""

    row: Isolation
    told: PlayedAgain
    fresh: PlayedAgain | None


class IsolationState(NamedTuple):
    """The isolations of a contest so far. open: number under way; second_runs: ids of blocks."""

    marks: dict[int, Marks]
    entrants: int
    open: int
    second_runs: set[str]


class Isolations:
    """Orders of isolations and their outcomes."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def order_isolation(self, plan: Plan, now: int) -> bool:
        """Order isolated plays of booked blocks' deals; return False if the told block had one before."""
        with self.database.write() as session:
            if session.get(Isolation, plan.told.block_id) is not None:
                return False
            told = _add_copy(session, plan.told.block_id, plan.sets, now, is_told=True)
            fresh_id = plan.fresh.block_id if plan.fresh else ""
            fresh = _add_copy(session, fresh_id, plan.sets, now, is_told=False) if fresh_id else ""
            contest_id = find_block(session, plan.told.block_id).contest_id
            row = Isolation(
                block_id=plan.told.block_id,
                contest_id=contest_id,
                told=told,
                fresh_block_id=fresh_id,
                fresh=fresh,
                ordered_at=now,
            )
            session.add(row)
            return True

    def list_open(self) -> list[Found]:
        """Return the isolations that are not closed."""
        with self.database.read() as session:
            rows = session.scalars(select(Isolation).where(col(Isolation.outcome) == "open")).all()
            return [
                Found(
                    row,
                    _read_played(session, row.block_id, row.told),
                    _read_played(session, row.fresh_block_id, row.fresh) if row.fresh else None,
                )
                for row in rows
            ]

    def close(self, found: Found, outcome: str, marks: EntrantMarks, now: int) -> bool:
        """Close an isolation; return False if it was closed before."""
        with self.database.write() as session:
            row = session.get_one(Isolation, found.row.block_id, with_for_update=True)
            if row.outcome != "open":
                return False
            row.outcome, row.closed_at = outcome, now
            row.marks = msgspec.json.encode(marks).decode()
            session.flush()
            _end_copies(session, row)
            return True

    def read_marks(self, contest_id: str) -> dict[int, Marks]:
        """Return the marks of a contest's entrants, in the order in which they were compared."""
        query = select(Isolation).where(
            col(Isolation.contest_id) == contest_id, col(Isolation.outcome) == "compared"
        )
        found: dict[int, Marks] = {}
        with self.database.read() as session:
            for row in session.scalars(query.order_by(col(Isolation.closed_at), col(Isolation.block_id))):
                for number, (told, fresh) in msgspec.json.decode(row.marks, type=EntrantMarks).items():
                    known = found.get(int(number), Marks())
                    found[int(number)] = _add_marks(known, told, fresh, is_evidence=bool(row.fresh))
        return found

    def read_state(self, contest_id: str, block_ids: Collection[str]) -> IsolationState:
        """Return the state that the next choice depends on. block_ids: candidates for isolation."""
        second = select(col(FirstRun.block_id)).where(col(FirstRun.block_id).in_(block_ids))
        is_open = col(Isolation.contest_id) == contest_id, col(Isolation.outcome) == "open"
        count = select(func.count()).select_from(Isolation).where(*is_open)
        entries = select(func.count()).select_from(Entry).where(col(Entry.tournament_id) == contest_id)
        marks = self.read_marks(contest_id)
        with self.database.read() as session:
            return IsolationState(
                marks, session.scalar(entries) or 0, session.scalar(count) or 0, set(session.scalars(second))
            )


def _add_marks(known: Marks, told: str, fresh: str, *, is_evidence: bool) -> Marks:
    if is_evidence:
        return known._replace(told=known.told + told, fresh=known.fresh + fresh)
    return known._replace(screened=known.screened + told)


def _own_id(ident: str) -> str:
    return "isolated_" + ident.partition("_")[2]


def _add_copy(session: Session, block_id: str, sets: int, now: int, *, is_told: bool) -> str:
    """Queue some deals of a seating of this block; return the copy's id."""
    block = find_block(session, block_id)
    job, contest = session.get_one(Job, block.job_id), session.get_one(Contest, block.contest_id)
    numbers = range(block.first_set, block.first_set + block.sets)
    seeds = deal_seeds(contest.secret, contest.root, job.label, numbers, job.seed_take)
    isolated = isolate_seating(seeds, block.first_set, contest.deal_ms, sets, is_told=is_told)
    players = [block.worker, *list_players(session, block_id).values()]
    again, ident = open_copy(session, contest, _own_id(contest.id)), _own_id(job.id)
    if session.get(Job, ident) is None:
        copy_job(session, again, job, ident)
    last = session.scalar(select(func.max(col(Block.number))).where(col(Block.job_id) == ident))
    copy = Block(
        id=new_id("block"),
        job_id=ident,
        contest_id=again.id,
        number=0 if last is None else last + 1,
        first_set=block.first_set,
        sets=len(isolated.sets),
        queued_at=now,
        isolated=isolated.write(),
        barred=bar_players(session, players, now),
    )
    session.add(copy)
    session.flush()
    return copy.id


def _end_copies(session: Session, row: Isolation) -> None:
    """End the contest of the copies if none of them is open, so that claims skip it."""
    left = select(col(Isolation.block_id)).where(
        col(Isolation.contest_id) == row.contest_id, col(Isolation.outcome) == "open"
    )
    again = session.get_one(Contest, _own_id(row.contest_id), with_for_update=True)
    if session.scalar(left.limit(1)) is None:
        again.state = "over"


def _read_played(session: Session, block_id: str, copy_id: str) -> PlayedAgain:
    copy = find_block(session, copy_id)
    isolated = read_isolated(copy.isolated)
    entrants = select(col(JobSeat.number)).where(col(JobSeat.job_id) == copy.job_id)
    numbers = list(session.scalars(entrants.order_by(col(JobSeat.position))))
    is_done, is_lost = copy.state == "done", copy.state in {"dropped", "void"}
    known = {one.number: one for one in _read_sets(session, block_id)} if is_done else {}
    booked = [known[number] for number in isolated.sets if number in known]
    again = _read_sets(session, copy_id) if is_done else []
    return PlayedAgain(isolated.seating, numbers, booked, again, is_done, is_lost)


def _read_sets(session: Session, block_id: str) -> list[SetOutcome]:
    """Return the sets of a block, none if it is not booked or if its records moved to a file."""
    result = session.get(BlockResult, block_id)
    if result is None or not result.records:
        return []
    return msgspec.msgpack.decode(expand_bytes(result.records), type=list[SetOutcome])
