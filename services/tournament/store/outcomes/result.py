"""Results: scores for judging, records and faults for readers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, bindparam, case, func, or_, select, tuple_
from sqlmodel import Session, col

from maumau.contest.export.chain import Booking, Chain, Event
from maumau.contest.schedule.revised import revise_mapping
from maumau.contest.score import BlockSums, SetScore, add_up
from maumau.errors import UnknownFault
from maumau.protocol.fault import FORFEIT
from services.shared.store.connect import Database
from services.tournament.domain.board import ContestBoard
from services.tournament.domain.match_row import MatchRow, PlayedMatch
from services.tournament.domain.measured import WallTime
from services.tournament.domain.pack import read_sums, unpack_scores
from services.tournament.models import Block, BlockFault, BlockResult, Contest, FirstRun, Job, JobSeat, Match
from services.tournament.store.blocks.reaper import void_words
from services.tournament.store.outcomes.link import read_links

TIMED = 10  # contests, and blocks of each, by whose times durations are estimated
MOST_CHANGED = 500  # matches that are read by their ids; if there are more, all are read


class FaultKey(NamedTuple):
    """A fault's place in the list of its match: a block's forfeits (1) come after its other faults."""

    block: int
    forfeit: int
    seating: int
    set_number: int
    entrant: int


class FaultRow(NamedTuple):
    """A fault, and the number of deals that it covers."""

    fault: BlockFault
    deals: int
    key: FaultKey


class Results:
    """Read access to results: a result is written once, with its block (blocks/booking.py)."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def list_blocks(self, match_id: str, newest: int = 0) -> list[Block]:
        """Return the blocks of a match by number: the last `newest` of them, or all if it is 0."""
        mine = select(Block).where(col(Block.job_id) == match_id).order_by(col(Block.number).desc())
        with self.database.read() as session:
            return list(session.scalars(mine.limit(newest or None)))[::-1]

    def done_at(self, match_id: str, first: int = 0) -> dict[str, int]:
        """Return the times when its blocks' results were stored, by id, from block number `first` on."""
        times = select(col(Block.id), col(BlockResult.stored_at))
        times = times.join(BlockResult, col(BlockResult.block_id) == col(Block.id))
        mine = times.where(col(Block.job_id) == match_id, col(Block.number) >= first)
        with self.database.read() as session:
            return {row[0]: row[1] for row in session.execute(mine)}

    def of_match(self, match_id: str) -> Iterator[tuple[Block, BlockResult]]:
        """Yield its done blocks in order, one in memory at a time."""
        for block in self.list_blocks(match_id):
            with self.database.read() as session:
                result = session.get(BlockResult, block.id)
            if result:
                yield block, result

    def list_measured(self, block_ids: Sequence[str]) -> list[bytes]:
        """Return the packed measurements of these blocks."""
        mine = select(col(BlockResult.measured)).where(col(BlockResult.block_id).in_(block_ids))
        with self.database.read() as session:
            return list(session.scalars(mine))

    def milliseconds_a_set(self, rules_hash: str) -> float:
        """Return the workers' time per deal set of these rules, in ms, in the latest contests; 0: unknown."""
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
        """Return the first runs of its blocks that were played again, with block numbers, in order."""
        both = select(col(Block.number), FirstRun).join(Block, col(Block.id) == col(FirstRun.block_id))
        mine = both.where(col(Block.job_id) == match_id).order_by(col(Block.number))
        with self.database.read() as session:
            return [(number, run) for number, run in session.execute(mine)]

    def scores_of(self, match_id: str) -> Iterator[tuple[list[SetScore], str]]:
        """Yield scores and digest of its done blocks, from the first up to the first gap."""
        lines = select(col(Block.number), col(BlockResult.scores), col(BlockResult.digest))
        mine = lines.join(Block, col(Block.id) == col(BlockResult.block_id)).order_by(col(Block.number))
        with self.database.read() as session:
            found = session.execute(mine.where(col(Block.job_id) == match_id)).all()
        for expected, (number, scores, digest) in enumerate(found):
            if number != expected:
                return
            yield unpack_scores(scores), digest

    def set_scores(self, match_id: str, first: int) -> Iterator[tuple[int, list[SetScore]]]:
        """Yield number and scores of its booked blocks in order, from the one with this set on."""
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

    def block_sums(self, match_id: str, counted: int) -> list[BlockSums]:
        """Return the sums of its blocks that count, those of its first `counted` sets; [] if one has none."""
        lines = select(col(Block.number), col(Block.sums)).where(col(Block.job_id) == match_id)
        mine = lines.where(col(Block.state) == "done", col(Block.first_set) < counted)
        with self.database.read() as session:
            found = session.execute(mine.order_by(col(Block.number))).all()
        if not all(number == at and sums for at, (number, sums) in enumerate(found)):
            return []
        sums = [read_sums(packed) for _, packed in found]
        return sums if sum(one.sets for one in sums) >= counted else []

    def read_chain(self, contest_id: str) -> Chain:
        """All events of a contest that have links, results that do not count too."""
        columns = col(BlockResult.booking), col(Job.label), col(Job.take), col(Block.number)
        lines = select(*columns, col(BlockResult.digest)).join(Block, col(Block.job_id) == col(Job.id))
        lines = lines.join(BlockResult, col(BlockResult.block_id) == col(Block.id))
        mine = lines.where(col(Job.contest_id) == contest_id, col(BlockResult.booking) > 0)
        with self.database.read() as session:
            version = session.get_one(Contest, contest_id).version
            events: dict[int, Event] = read_links(session, contest_id)
            events |= {number: Booking(*line) for number, *line in session.execute(mine)}
        return Chain([events[number] for number in sorted(events)], version)

    def of_set(self, match_id: str, number: int) -> BlockResult | None:
        """Return the result of the block that contains this deal set, None if it is not booked."""
        mine = select(BlockResult).join(Block, col(Block.id) == col(BlockResult.block_id))
        mine = mine.where(col(Block.job_id) == match_id, col(Block.first_set) <= number)
        with self.database.read() as session:
            found = mine.where(col(Block.first_set) + col(Block.sets) > number)
            return session.scalars(found).one_or_none()

    def list_faults(
        self, match_id: str, most: int, *, after: FaultKey | None = None, entrant: int = 0, kind: str = ""
    ) -> list[FaultRow]:
        """Return the first faults after this place, in the order of FaultKey, by entrant or kind if given.

        A bot's forfeits in a block are listed as one: the first in that order, standing for all their deals.
        """
        forfeit = case((col(BlockFault.kind) == FORFEIT, 1), else_=0)
        key: tuple[Any, ...] = (
            col(Block.number).label("block"),
            forfeit.label("forfeit"),
            col(BlockFault.seating).label("seating"),
            col(BlockFault.set_number).label("number"),
            col(BlockFault.entrant).label("entrant"),
        )
        alike: dict[str, Any] = {"partition_by": (col(BlockFault.block_id), col(BlockFault.entrant), forfeit)}
        order = col(BlockFault.seating), col(BlockFault.set_number)
        place = func.row_number().over(**alike, order_by=order).label("place")
        each = select(col(BlockFault.id).label("id"), *key, place, func.count().over(**alike).label("deals"))
        each = each.join(Block, col(Block.id) == col(BlockFault.block_id)).where(
            col(Block.job_id) == match_id
        )
        if entrant:
            each = each.where(col(BlockFault.entrant) == entrant)
        if kind:
            each = each.where(col(BlockFault.kind) == kind)
        one = each.subquery()
        columns = one.c.block, one.c.forfeit, one.c.seating, one.c.number, one.c.entrant
        found = select(BlockFault, one.c.deals, *columns).join(one, one.c.id == col(BlockFault.id))
        found = found.where(or_(one.c.forfeit == 0, one.c.place == 1))
        if after:
            found = found.where(tuple_(*columns) > tuple_(*after))
        with self.database.read() as session:
            rows = session.execute(found.order_by(*columns).limit(most)).all()
        return [FaultRow(fault, deals if place[1] else 1, FaultKey(*place)) for fault, deals, *place in rows]

    def list_faulty(self, tournament_id: str) -> list[tuple[str, int, int]]:
        """Return (label, entrant, set) of every deal lost by a fault in a match that counts."""
        lines = select(col(Match.label), col(BlockFault.entrant), col(BlockFault.set_number))
        lines = lines.join(Block, col(Block.job_id) == col(Match.id))
        lines = lines.join(BlockFault, col(BlockFault.block_id) == col(Block.id))
        mine = lines.where(col(Match.tournament_id) == tournament_id, col(Match.state) != "withdrawn")
        with self.database.read() as session:
            return [(label, entrant, number) for label, entrant, number in session.execute(mine)]

    def read_fault(self, fault_id: str) -> tuple[BlockFault, BlockResult, Contest, list[JobSeat]]:
        """Return a fault, the result of its block, its contest, and the seats of its job by position."""
        with self.database.read() as session:
            fault = session.get(BlockFault, fault_id)
            if fault is None:
                raise unknown_fault(fault_id)
            block = session.get_one(Block, fault.block_id)
            seats = select(JobSeat).where(col(JobSeat.job_id) == block.job_id).order_by(col(JobSeat.position))
            contest = session.get_one(Contest, block.contest_id)
            return fault, session.get_one(BlockResult, block.id), contest, list(session.scalars(seats))


def unknown_fault(fault_id: str) -> UnknownFault:
    """Return the refusal for a fault that does not exist, or of a contest that the caller may not see."""
    return UnknownFault(f"There is no fault {fault_id!r}.", thing=fault_id)


class BlockLine(NamedTuple):
    """The columns of a block that judging needs."""

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
    """Return takes of matches, those taken back too, in the order of labels and takes."""
    return [MatchRow(*row) for row in session.execute(TAKES.where(*where))]


def live_matches(session: Session, *where: ColumnElement[bool]) -> list[MatchRow]:
    """Return matches that stand, in the order of their labels."""
    return take_rows(session, *where, LIVE)


class _Statements:
    """The queries for some live matches.

    They are for their rows and, for open ones, for the number of blocks and those that are not queued, from a
    number on. Built once, because building takes longer than the database takes to answer, and they are run
    after each result.
    """

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
    """The live matches of a tournament by label.

    changed: the labels of those that differ from the board before; None: unknown.
    """

    matches: Mapping[str, PlayedMatch]
    changed: frozenset[str] | None = None


def read_played(session: Session, contest: Contest, before: ContestBoard | None, unit: int = 0) -> Reading:
    """Read the live matches; those unchanged since `before` are taken from it.

    unit: of a set, if the matches are judged set by set; 0 if the sums of blocks are enough.
    """
    if before is None:
        return Reading(_read_results(session, contest.id, unit=unit))
    told = {"contest": contest.id, "changes": before.changes}
    ids = {row[0]: row[1] for row in session.execute(CHANGED_JOBS, told)}
    if len(ids) > MOST_CHANGED:
        return Reading(_read_results(session, contest.id, unit=unit))
    known = {one.row.id: one.prefix for label in ids.values() if (one := before.matches.get(label))}
    fresh = _read_results(session, contest.id, ids, known, unit) if ids else {}
    if len(fresh) == len(ids) and fresh.keys() <= before.matches.keys():
        return Reading(revise_mapping(before.matches, fresh), frozenset(fresh))
    kept = {label: one for label, one in before.matches.items() if one.row.id not in ids}
    return Reading(dict(sorted({**kept, **fresh}.items(), key=lambda one: one[1].row.place)))


def _read_results(
    session: Session,
    contest_id: str,
    ids: Collection[str] | None = None,
    known: Mapping[str, Sequence[BlockSums]] = MappingProxyType({}),
    unit: int = 0,
) -> dict[str, PlayedMatch]:
    """Return all live matches of a contest, or those of these ids. known: sums of first blocks, by id."""
    asked, told = (OF_ALL, {"contest": contest_id}) if ids is None else (OF_SOME, {"ids": sorted(ids)})
    rows = session.execute(asked.rows, told).all()
    sizes = dict(map(tuple, session.execute(asked.sizes, told)))
    first = min((len(known.get(one, ())) for one in ids or ()), default=0)
    blocks: dict[str, list[BlockLine]] = {}
    for line in session.execute(asked.lines, {**told, "first": first}):
        blocks.setdefault(line.job_id, []).append(BlockLine(*line))
    early = _add_up_scores(session, blocks, unit)
    found: dict[str, PlayedMatch] = {}
    for *row, paused in rows:
        match = MatchRow(*row)
        size, own, before = sizes.get(match.id, 0), blocks.get(match.id, ()), known.get(match.id, ())[:first]
        found[match.label] = _build_played(match, size, own, early, before, paused=paused)
    return found


def _add_up_scores(
    session: Session, blocks: Mapping[str, Sequence[BlockLine]], unit: int
) -> dict[tuple[str, int], BlockSums]:
    """Return the sums of blocks that an earlier version of the arena booked, by match and number.

    With a unit, those of all blocks that are done, and their leads.
    """
    jobs = [
        job
        for job, own in blocks.items()
        if any(one.state == "done" and (unit or not one.sums) for one in own)
    ]
    if not jobs:
        return {}
    lines = select(col(Block.job_id), col(Block.number), col(BlockResult.scores))
    lines = lines.join(BlockResult, col(BlockResult.block_id) == col(Block.id))
    lines = lines.where(col(Block.job_id).in_(jobs), col(Block.state) == "done")
    found = lines if unit else lines.where(col(Block.sums) == "")
    scored = session.execute(found)
    return {(job, number): add_up(unpack_scores(scores), unit) for job, number, scores in scored}


def _build_played(
    row: MatchRow,
    size: int,
    blocks: Sequence[BlockLine],
    early: Mapping[tuple[str, int], BlockSums],
    before: Sequence[BlockSums],
    *,
    paused: bool,
) -> PlayedMatch:
    """Return a match; a decided one has a verdict and needs no sums.

    size: its number of blocks. blocks: those that are not queued, in order, from the one after `before` on.
    """
    if row.verdict:
        return PlayedMatch(row, size, (), paused)
    void = next((block for block in blocks if block.state == "void"), None) if paused else None
    words = void_words(row.label, void.number, void.attempts, void.words) if void else ""
    numbered = enumerate(blocks, start=len(before))
    done = takewhile(lambda one: one[1].number == one[0] and one[1].state == "done", numbered)
    news = [early.get((one.job_id, one.number)) or read_sums(one.sums) for _, one in done]
    return PlayedMatch(row, size, [*before, *news], paused, words)
