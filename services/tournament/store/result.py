"""What was played: scores for judging, records and faults for whoever asks."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from sqlalchemy import func, select
from sqlmodel import Session, col

from maumau.bot.fault import FORFEIT
from maumau.contest.chain import Booking
from maumau.contest.score import SetScore
from maumau.errors import UnknownFault
from services.shared.connect import Database
from services.tournament.board import Board, Played
from services.tournament.models import Block, BlockResult, Fault, FirstRun, Job, Match
from services.tournament.pack import unpack_scores
from services.tournament.store.reaper import void_words


class Results:
    """Read only: a result is written once, with its block (store/queue)."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def blocks(self, match_id: str) -> list[Block]:
        with self.database.read() as session:
            mine = select(Block).where(col(Block.job_id) == match_id)
            return list(session.scalars(mine.order_by(col(Block.number))))

    def of_match(self, match_id: str) -> Iterator[tuple[Block, BlockResult]]:
        """Its blocks that are done, in order; one is in memory at a time."""
        for block in self.blocks(match_id):
            with self.database.read() as session:
                result = session.get(BlockResult, block.id)
            if result:
                yield block, result

    def measured(self, block_ids: Sequence[str]) -> list[bytes]:
        """What was measured of these blocks, without what was played."""
        mine = select(col(BlockResult.measured)).where(col(BlockResult.block_id).in_(block_ids))
        with self.database.read() as session:
            return list(session.scalars(mine))

    def first_runs(self, match_id: str) -> list[tuple[int, FirstRun]]:
        """Those of its blocks that were played a second time, with the blocks' numbers, in order."""
        both = select(col(Block.number), FirstRun).join(Block, col(Block.id) == col(FirstRun.block_id))
        mine = both.where(col(Block.job_id) == match_id).order_by(col(Block.number))
        with self.database.read() as session:
            return [(number, run) for number, run in session.execute(mine)]

    def scores_of(self, match_id: str) -> Iterator[tuple[list[SetScore], str]]:
        """For each of its blocks that are done from the first on: the scores of its sets, its digest."""
        lines = select(col(Block.number), col(BlockResult.scores), col(BlockResult.digest))
        mine = lines.join(Block, col(Block.id) == col(BlockResult.block_id)).order_by(col(Block.number))
        with self.database.read() as session:
            found = session.execute(mine.where(col(Block.job_id) == match_id)).all()
        for expected, (number, scores, digest) in enumerate(found):
            if number != expected:
                return
            yield unpack_scores(scores), digest

    def bookings(self, contest_id: str) -> list[Booking]:
        """All results of a contest in the order in which they were booked, uncounted ones too."""
        columns = col(Job.label), col(Job.take), col(Block.number), col(BlockResult.digest)
        lines = select(*columns).join(Block, col(Block.job_id) == col(Job.id))
        lines = lines.join(BlockResult, col(BlockResult.block_id) == col(Block.id))
        mine = lines.where(col(Job.contest_id) == contest_id, col(BlockResult.booking) > 0)
        with self.database.read() as session:
            return [Booking(*line) for line in session.execute(mine.order_by(col(BlockResult.booking)))]

    def of_set(self, match_id: str, number: int) -> BlockResult | None:
        """The result of the block that has this deal set."""
        mine = select(BlockResult).join(Block, col(Block.id) == col(BlockResult.block_id))
        mine = mine.where(col(Block.job_id) == match_id, col(Block.first_set) <= number)
        with self.database.read() as session:
            found = mine.where(col(Block.first_set) + col(Block.sets) > number)
            return session.scalars(found).one_or_none()

    def faults(self, match_id: str, most: int) -> list[tuple[Fault, int]]:
        """The first ones with the deals they cost, by block, seating, set and entrant.

        After a block's other faults come its forfeits. The forfeits of a bot in a block are one: the first in
        that order, with all their deals.
        """
        played_in = col(Fault.seating), col(Fault.set_number), col(Fault.entrant)
        mine = select(Fault, col(Block.number)).join(Block, col(Block.id) == col(Fault.block_id))
        mine = mine.where(col(Block.job_id) == match_id)
        made = mine.where(col(Fault.kind) != FORFEIT).order_by(col(Block.number), *played_in).limit(most)
        whose = col(Fault.block_id), col(Fault.entrant)
        lost = select(
            col(Fault.id).label("id"),
            func.row_number().over(partition_by=whose, order_by=played_in).label("place"),
            func.count().over(partition_by=whose).label("deals"),
        ).join(Block, col(Block.id) == col(Fault.block_id))
        each = lost.where(col(Block.job_id) == match_id, col(Fault.kind) == FORFEIT).subquery()
        with self.database.read() as session:
            firsts = session.execute(select(each.c.id, each.c.deals).where(each.c.place == 1)).all()
            deals = {row.id: row.deals for row in firsts}
            forfeits = session.execute(mine.where(col(Fault.id).in_(deals))).all()
            found = [*session.execute(made).all(), *forfeits]
        found.sort(key=lambda row: (row[1], row[0].kind == FORFEIT, *_played_in(row[0])))
        return [(fault, deals.get(fault.id, 1)) for fault, _ in found[:most]]

    def faulty(self, tournament_id: str) -> list[tuple[str, int, int]]:
        """(match id, entrant, set) of every deal lost by a fault in a match that counts."""
        lines = select(col(Match.id), col(Fault.entrant), col(Fault.set_number))
        lines = lines.join(Block, col(Block.job_id) == col(Match.id))
        lines = lines.join(Fault, col(Fault.block_id) == col(Block.id))
        mine = lines.where(col(Match.tournament_id) == tournament_id, col(Match.state) != "withdrawn")
        with self.database.read() as session:
            return [(match_id, entrant, number) for match_id, entrant, number in session.execute(mine)]

    def fault(self, fault_id: str) -> tuple[Fault, BlockResult, Match]:
        """A fault, the block it happened in, and that block's match."""
        with self.database.read() as session:
            fault = session.get(Fault, fault_id)
            if fault is None:
                raise UnknownFault(f"There is no fault {fault_id!r}.")
            block = session.get_one(Block, fault.block_id)
            return fault, session.get_one(BlockResult, block.id), session.get_one(Match, block.job_id)


def _played_in(fault: Fault) -> tuple[int, int, int]:
    """The order of a block's faults."""
    return fault.seating, fault.set_number, fault.entrant


class BlockLine(NamedTuple):
    """What a schedule needs of a block."""

    job_id: str
    number: int
    sets: int
    state: str
    attempts: int
    words: str


def played(session: Session, rows: Sequence[Match], before: Board | None) -> list[Played]:
    """Live matches of one tournament with the sets of their finished prefixes; known ones are not read again.

    A decided one needs no sets, its verdict stands.
    """
    blocks: dict[str, list[BlockLine]] = {row.id: [] for row in rows}
    for line in _lines(session, rows[0].tournament_id if rows else ""):
        blocks[line.job_id].append(line)
    known = {one.row.id: one.prefix for one in before.matches.values()} if before else {}
    paused = _paused(session, rows[0].tournament_id if rows else "")
    return [
        _played(session, row, blocks[row.id], known.get(row.id, ()), paused=row.id in paused) for row in rows
    ]


def _paused(session: Session, contest_id: str) -> set[str]:
    mine = select(col(Job.id)).where(col(Job.contest_id) == contest_id, col(Job.state) == "paused")
    return set(session.scalars(mine))


def _lines(session: Session, tournament_id: str) -> Iterator[BlockLine]:
    """The blocks of the open matches, in order."""
    columns = (Block.job_id, Block.number, Block.sets, Block.state, Block.attempts, Block.words)
    lines = select(*(col(column) for column in columns)).join(Match, col(Match.id) == col(Block.job_id))
    mine = lines.where(col(Match.tournament_id) == tournament_id, col(Match.state) == "playing")
    return (BlockLine(*line) for line in session.execute(mine.order_by(col(Block.number))))


def _played(
    session: Session, row: Match, blocks: list[BlockLine], known: Sequence[SetScore], *, paused: bool
) -> Played:
    void = [block for block in blocks if block.state == "void"]
    words = ""
    if void and paused:
        words = void_words(row.label, void[0].number, void[0].attempts, void[0].words)
    prefix = () if row.verdict else _prefix(session, row.id, blocks, known)
    return Played(row, len(blocks), prefix, paused, words)


def _prefix(
    session: Session, match_id: str, blocks: list[BlockLine], known: Sequence[SetScore]
) -> Sequence[SetScore]:
    done = list(takewhile(lambda block: block.state == "done", blocks))
    if sum(block.sets for block in done) == len(known):
        return known
    lines = select(col(BlockResult.scores)).join(Block, col(Block.id) == col(BlockResult.block_id))
    new = lines.where(
        col(Block.job_id) == match_id, col(Block.number) < len(done), col(Block.first_set) >= len(known)
    )
    ordered = session.scalars(new.order_by(col(Block.number)))
    return [*known, *(score for packed in ordered for score in unpack_scores(packed))]
