"""What was played: scores for judging, records and faults for whoever asks."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, bindparam, case, func, or_, select, tuple_
from sqlmodel import Session, col

from maumau.bot.fault import FORFEIT
from maumau.contest.chain import Booking
from maumau.contest.revised import revise
from maumau.contest.score import BlockSums, SetScore, add_up
from maumau.errors import UnknownFault
from services.shared.connect import Database
from services.tournament.board import Board
from services.tournament.match_row import MatchRow, Played
from services.tournament.measured import WallTime
from services.tournament.models import Block, BlockResult, Contest, Fault, FirstRun, Job, JobSeat, Match
from services.tournament.pack import read_sums, unpack_scores
from services.tournament.store.reaper import void_words

TIMED = 10  # contests, and blocks of each, whose time tells how long others will take
MOST_CHANGED = 500  # matches that are read by their ids; of more all are read


class FaultKey(NamedTuple):
    """Where a fault stands in the list of its match: after a block's other faults come its forfeits (1)."""

    block: int
    forfeit: int
    seating: int
    set_number: int
    entrant: int


class FaultRow(NamedTuple):
    """A fault, and how many deals it stands for."""

    fault: Fault
    deals: int
    key: FaultKey


class Results:
    """Read only: a result is written once, with its block (store/queue)."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def blocks(self, match_id: str, newest: int = 0) -> list[Block]:
        """The blocks of a match by number: the last `newest` of them, or all if it is 0."""
        mine = select(Block).where(col(Block.job_id) == match_id).order_by(col(Block.number).desc())
        with self.database.read() as session:
            return list(session.scalars(mine.limit(newest or None)))[::-1]

    def done_at(self, match_id: str, first: int = 0) -> dict[str, int]:
        """When the results of its blocks were stored, by their ids; from the block of a number on."""
        times = select(col(Block.id), col(BlockResult.stored_at))
        times = times.join(BlockResult, col(BlockResult.block_id) == col(Block.id))
        mine = times.where(col(Block.job_id) == match_id, col(Block.number) >= first)
        with self.database.read() as session:
            return {row[0]: row[1] for row in session.execute(mine)}

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

    def milliseconds_a_set(self, rules_hash: str) -> float:
        """How long workers took for a deal set of these rules, in the latest contests; 0: none was played."""
        contests = select(col(Contest.id)).where(col(Contest.rules_hash) == rules_hash)
        latest = contests.where(col(Contest.booked) > 0).order_by(col(Contest.id).desc()).limit(TIMED)
        lines = select(col(Block.sets), col(BlockResult.measured)).join(
            BlockResult, col(BlockResult.block_id) == col(Block.id)
        )
        took = sets = 0
        with self.database.read() as session:
            for contest_id in session.scalars(latest).all():
                done = lines.where(col(Block.contest_id) == contest_id, col(Block.state) == "done")
                for count, packed in session.execute(done.limit(TIMED)):
                    took += msgspec.msgpack.decode(packed, type=WallTime).wall_ms
                    sets += count
        return took / sets if sets else 0.0

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

    def set_scores(self, match_id: str, first: int) -> Iterator[tuple[int, list[SetScore]]]:
        """The scores of its booked blocks from the one with this set on, with their numbers, in order."""
        lines = select(col(Block.id), col(Block.number)).join(
            BlockResult, col(BlockResult.block_id) == col(Block.id)
        )
        mine = lines.where(col(Block.job_id) == match_id, col(Block.first_set) + col(Block.sets) > first)
        with self.database.read() as session:
            blocks = session.execute(mine.order_by(col(Block.number))).all()
        for block_id, number in blocks:
            with self.database.read() as session:
                query = select(col(BlockResult.scores)).where(col(BlockResult.block_id) == block_id)
                packed = session.scalars(query).one()
            yield number, unpack_scores(packed)

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

    def faults(
        self, match_id: str, most: int, *, after: FaultKey | None = None, entrant: int = 0, kind: str = ""
    ) -> list[FaultRow]:
        """The first ones after this place, in the order of FaultKey; of an entrant, or of a kind, alone.

        The forfeits of a bot in a block are one: the first in that order, with all their deals.
        """
        forfeit = case((col(Fault.kind) == FORFEIT, 1), else_=0)
        key: tuple[Any, ...] = (
            col(Block.number).label("block"), forfeit.label("forfeit"), col(Fault.seating).label("seating"),
            col(Fault.set_number).label("number"), col(Fault.entrant).label("entrant"),
        )  # fmt: skip
        alike: dict[str, Any] = {"partition_by": (col(Fault.block_id), col(Fault.entrant), forfeit)}
        order = col(Fault.seating), col(Fault.set_number)
        place = func.row_number().over(**alike, order_by=order).label("place")
        each = select(col(Fault.id).label("id"), *key, place, func.count().over(**alike).label("deals"))
        each = each.join(Block, col(Block.id) == col(Fault.block_id)).where(col(Block.job_id) == match_id)
        if entrant:
            each = each.where(col(Fault.entrant) == entrant)
        if kind:
            each = each.where(col(Fault.kind) == kind)
        one = each.subquery()
        columns = one.c.block, one.c.forfeit, one.c.seating, one.c.number, one.c.entrant
        found = select(Fault, one.c.deals, *columns).join(one, one.c.id == col(Fault.id))
        found = found.where(or_(one.c.forfeit == 0, one.c.place == 1))
        if after:
            found = found.where(tuple_(*columns) > tuple_(*after))
        with self.database.read() as session:
            rows = session.execute(found.order_by(*columns).limit(most)).all()
        return [FaultRow(fault, deals if place[1] else 1, FaultKey(*place)) for fault, deals, *place in rows]

    def faulty(self, tournament_id: str) -> list[tuple[str, int, int]]:
        """(label, entrant, set) of every deal lost by a fault in a match that counts."""
        lines = select(col(Match.label), col(Fault.entrant), col(Fault.set_number))
        lines = lines.join(Block, col(Block.job_id) == col(Match.id))
        lines = lines.join(Fault, col(Fault.block_id) == col(Block.id))
        mine = lines.where(col(Match.tournament_id) == tournament_id, col(Match.state) != "withdrawn")
        with self.database.read() as session:
            return [(label, entrant, number) for label, entrant, number in session.execute(mine)]

    def fault(self, fault_id: str) -> tuple[Fault, BlockResult, Contest, list[JobSeat]]:
        """A fault, the block it happened in, its contest, and who played it, by position."""
        with self.database.read() as session:
            fault = session.get(Fault, fault_id)
            if fault is None:
                raise UnknownFault(f"There is no fault {fault_id!r}.", thing=fault_id)
            block = session.get_one(Block, fault.block_id)
            seats = select(JobSeat).where(col(JobSeat.job_id) == block.job_id).order_by(col(JobSeat.position))
            contest = session.get_one(Contest, block.contest_id)
            return fault, session.get_one(BlockResult, block.id), contest, list(session.scalars(seats))


class BlockLine(NamedTuple):
    """A block as judging sees it."""

    job_id: str
    number: int
    state: str
    sums: str
    attempts: int
    words: str


LINE = tuple(col(getattr(Block, name)) for name in BlockLine._fields)
ROW = tuple(col(getattr(Job if name == "started_at" else Match, name)) for name in MatchRow._fields)


TAKES = select(*ROW).join(Job, col(Job.id) == col(Match.id))
TAKES = TAKES.order_by(col(Match.stage), col(Match.round), col(Match.number), col(Match.take))
LIVE = col(Match.state) != "withdrawn"


def take_rows(session: Session, *where: ColumnElement[bool]) -> list[MatchRow]:
    """Takes of matches, those taken back too, in the order of labels and takes."""
    return [MatchRow(*row) for row in session.execute(TAKES.where(*where))]


def live_matches(session: Session, *where: ColumnElement[bool]) -> list[MatchRow]:
    """Matches that stand, in the order of their labels."""
    return take_rows(session, *where, LIVE)


class _Statements:
    """The queries for some live matches: their rows, and if they are open how many blocks each has and those
    that are not queued, from a number on. Built once, because that takes longer than the database needs to
    answer them, and they are asked after each result."""

    def __init__(self, *mine: ColumnElement[bool]) -> None:
        of_match, open_ones = col(Match.id) == col(Block.job_id), (*mine, col(Match.state) == "playing")
        self.rows = TAKES.add_columns(col(Job.state) == "paused").where(*mine, LIVE)
        sizes = select(col(Block.job_id), func.count()).join(Match, of_match).where(*open_ones)
        self.sizes = sizes.group_by(col(Block.job_id))
        lines = select(*LINE).join(Match, of_match).where(*open_ones, col(Block.state) != "queued")
        self.lines = lines.where(col(Block.number) >= bindparam("first")).order_by(col(Block.number))


CHANGED_JOBS = select(col(Job.id), col(Job.label)).where(
    col(Job.contest_id) == bindparam("contest"), col(Job.changed) > bindparam("changes")
)
OF_ALL = _Statements(col(Match.tournament_id) == bindparam("contest"))
OF_SOME = _Statements(col(Match.id).in_(bindparam("ids", expanding=True)))


class Reading(NamedTuple):
    """The live matches of a tournament by label. changed: the labels of those that are not as they were in
    the board before; None: nobody has looked."""

    matches: Mapping[str, Played]
    changed: frozenset[str] | None = None


def read_played(session: Session, contest: Contest, before: Board | None) -> Reading:
    """What did not change since `before` is not read again."""
    if before is None:
        return Reading(_read(session, contest.id))
    told = {"contest": contest.id, "changes": before.changes}
    ids = {row[0]: row[1] for row in session.execute(CHANGED_JOBS, told)}
    if len(ids) > MOST_CHANGED:
        return Reading(_read(session, contest.id))
    known = {one.row.id: one.prefix for label in ids.values() if (one := before.matches.get(label))}
    fresh = _read(session, contest.id, ids, known) if ids else {}
    if len(fresh) == len(ids) and fresh.keys() <= before.matches.keys():
        return Reading(revise(before.matches, fresh), frozenset(fresh))
    kept = {label: one for label, one in before.matches.items() if one.row.id not in ids}
    return Reading(dict(sorted({**kept, **fresh}.items(), key=lambda one: one[1].row.place)))


def _read(
    session: Session, contest_id: str, ids: Collection[str] | None = None,
    known: Mapping[str, Sequence[BlockSums]] = MappingProxyType({}),
) -> dict[str, Played]:  # fmt: skip
    """All live matches of a contest, or those of these ids. known: sums of their first blocks, by id."""
    asked, told = (OF_ALL, {"contest": contest_id}) if ids is None else (OF_SOME, {"ids": sorted(ids)})
    rows = session.execute(asked.rows, told).all()
    sizes = dict(map(tuple, session.execute(asked.sizes, told)))
    first = min((len(known.get(one, ())) for one in ids or ()), default=0)
    blocks: dict[str, list[BlockLine]] = {}
    for line in session.execute(asked.lines, {**told, "first": first}):
        blocks.setdefault(line.job_id, []).append(BlockLine(*line))
    early = _early_sums(session, blocks)
    found: dict[str, Played] = {}
    for *row, paused in rows:
        match = MatchRow(*row)
        size, own, before = sizes.get(match.id, 0), blocks.get(match.id, ()), known.get(match.id, ())[:first]
        found[match.label] = _played(match, size, own, early, before, paused=paused)
    return found


def _early_sums(
    session: Session, blocks: Mapping[str, Sequence[BlockLine]]
) -> dict[tuple[str, int], BlockSums]:
    """The sums of those that an earlier version of the arena booked, by match and number."""
    jobs = [job for job, own in blocks.items() if any(one.state == "done" and not one.sums for one in own)]
    if not jobs:
        return {}
    lines = select(col(Block.job_id), col(Block.number), col(BlockResult.scores))
    lines = lines.join(BlockResult, col(BlockResult.block_id) == col(Block.id))
    without = lines.where(col(Block.job_id).in_(jobs), col(Block.state) == "done", col(Block.sums) == "")
    return {(job, number): add_up(unpack_scores(scores)) for job, number, scores in session.execute(without)}


def _played(
    row: MatchRow, size: int, blocks: Sequence[BlockLine], early: Mapping[tuple[str, int], BlockSums],
    before: Sequence[BlockSums], *, paused: bool,
) -> Played:  # fmt: skip
    """A decided match needs no sums, its verdict stands. size: how many blocks it has; blocks: those that
    are not queued, in order, from the one after `before` on."""
    if row.verdict:
        return Played(row, size, (), paused)
    void = next((block for block in blocks if block.state == "void"), None) if paused else None
    words = void_words(row.label, void.number, void.attempts, void.words) if void else ""
    numbered = enumerate(blocks, start=len(before))
    done = takewhile(lambda one: one[1].number == one[0] and one[1].state == "done", numbered)
    news = [read_sums(one.sums) if one.sums else early[one.job_id, one.number] for _, one in done]
    return Played(row, size, [*before, *news], paused, words)
