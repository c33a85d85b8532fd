"""Audits: booked blocks that are played again by other workers, for comparison. Times are ms since 1970.

The copy of a block belongs to a contest of its own, with the secret and the root of the audited one and
jobs with its labels, so that the seeds are equal. No call returns that contest or its secret.
"""

from typing import NamedTuple

import msgspec
from sqlalchemy import func, select
from sqlmodel import Session, col

from maumau.protocol.fault import Fault
from maumau.referee.block import SetOutcome
from services.shared.base.ident import new_id
from services.shared.base.worker_name import host_of, machine_prefix
from services.shared.store.connect import Database
from services.tournament.domain.outlier import OddOne
from services.tournament.domain.pack import expand_bytes
from services.tournament.models import Audit, Block, BlockFault, BlockResult, Contest, Job, JobSeat, Worker
from services.tournament.store.blocks.queue import find_block
from services.tournament.store.blocks.seating import list_players
from services.tournament.store.blocks.worker import is_present

HOST_FAULTS = ("time", "wall", "memory", "start")  # these depend on the host: honest workers may differ
PATIENCE = 24 * 3_600_000  # ms that an audit may take
KEPT_JOB = ("label", "take", "seed_take")
KEPT_CONTEST = (
    "author",
    "rules",
    "options",
    "rules_hash",
    "variant_toml",
    "seats",
    "score",
    "deal_ms",
    "memory",
    "secret",
    "root",
    "games",
)
KEPT_SEAT = (
    "position",
    "number",
    "version_id",
    "sha256",
    "bot_name",
    "account_name",
    "built_sha256",
    "built_platform",
    "version",
)


class PlayedBlock(NamedTuple):
    """A block as it was played; digest: of its records, "" if it is not done.

    players: workers by seating; empty if one worker played all of them.
    """

    block: Block
    digest: str
    depends_on_host: bool
    players: dict[int, str]

    @property
    def workers(self) -> list[str]:
        """All workers that played it."""
        return list(dict.fromkeys(self.players.values())) or [self.block.worker]


class Found(NamedTuple):
    """An audit with its plays, the booked one first."""

    audit: Audit
    plays: list[PlayedBlock]


class Audits:
    """Orders of audits and their outcomes."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def order_audit(self, block_id: str, now: int) -> bool:
        """Order a second play of a booked block; return False if it is an audit's, or no other can do it."""
        with self.database.write() as session:
            block = find_block(session, block_id)
            job = session.get_one(Job, block.job_id)
            contest = session.get_one(Contest, job.contest_id)
            if contest.purpose == "audit" or session.get(Audit, block_id) is not None:
                return False
            second = _add_play(session, contest, job, block, [block], now)
            if second:
                session.add(Audit(block_id=block_id, second=second, ordered_at=now))
            return bool(second)

    def order_third(self, audit: Audit, now: int) -> bool:
        """Order a third play by another worker; return False if none is present."""
        with self.database.write() as session:
            audit = session.get_one(Audit, audit.block_id, with_for_update=True)
            if audit.third or audit.outcome != "open":  # another replica was faster
                return True
            block, second = (find_block(session, one) for one in (audit.block_id, audit.second))
            job = session.get_one(Job, block.job_id)
            contest = session.get_one(Contest, job.contest_id)
            third = _add_play(session, contest, job, block, [block, second], now)
            if third:
                audit.third = third
            return bool(third)

    def list_open(self) -> list[Found]:
        """Return the audits that are not closed."""
        with self.database.read() as session:
            audits = session.scalars(select(Audit).where(col(Audit.outcome) == "open")).all()
            return [Found(audit, _list_plays(session, audit)) for audit in audits]

    def close(self, found: Found, outcome: str, odd: str = "") -> bool:
        """Close an audit; return False if it was closed before. odd: the worker that differs from two."""
        with self.database.write() as session:
            audit = session.get_one(Audit, found.audit.block_id, with_for_update=True)
            if audit.outcome != "open":
                return False
            audit.outcome, audit.worker = outcome, odd
            audit.workers = "\n".join(name for play in found.plays for name in play.workers)
            programs = select(col(JobSeat.sha256)).where(col(JobSeat.job_id) == found.plays[0].block.job_id)
            audit.programs = "\n".join(session.scalars(programs))
            session.flush()
            contest = session.get_one(Contest, found.plays[-1].block.contest_id, with_for_update=True)
            left = select(col(Audit.block_id)).join(Block, col(Block.id) == col(Audit.second))
            left = left.where(col(Block.contest_id) == contest.id, col(Audit.outcome) == "open")
            if session.scalar(left.limit(1)) is None:
                contest.state = "over"  # so that claims skip it
            return True

    def find_odd_worker(self, odd: PlayedBlock, other: PlayedBlock) -> str:
        """Return the worker of the first seating in which a block differs from the other play."""
        if not odd.players:
            return odd.block.worker
        with self.database.read() as session:
            sets, others = (_read_records(session, one.block.id) for one in (odd, other))
        for seating, worker in sorted(odd.players.items()):
            if [one[seating] for one in sets] != [one[seating] for one in others]:
                return worker
        return odd.block.worker

    def odd_ones(self) -> list[OddOne]:
        """Return all audits with one odd worker of three, none of which is distrusted.

        Workers with the token of a host count as that host, since it can name them freely.
        """
        with self.database.read() as session:
            rows = session.scalars(select(Audit).where(col(Audit.outcome) == "odd")).all()
            names = session.scalars(select(col(Worker.name)).where(col(Worker.distrusted_at) > 0))
            known = set(map(host_of, names))
        odd = [
            OddOne(
                host_of(row.worker),
                tuple(map(host_of, _split_lines(row.workers))),
                _split_lines(row.programs),
            )
            for row in rows
        ]
        return [one for one in odd if known.isdisjoint(one.workers)]

    def describe_block(self, found: Found) -> str:
        """Return a block's description, such as `match 1.2.1, block 3 (first-0 - random-0)`."""
        block = found.plays[0].block
        names = select(col(JobSeat.bot_name)).where(col(JobSeat.job_id) == block.job_id)
        with self.database.read() as session:
            label = session.get_one(Job, block.job_id).label
            pair = " - ".join(session.scalars(names.order_by(col(JobSeat.position))))
        return f"match {label}, block {block.number} ({pair})"


def _split_lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))


def _list_plays(session: Session, audit: Audit) -> list[PlayedBlock]:
    plays = []
    for block_id in filter(None, (audit.block_id, audit.second, audit.third)):
        result = session.get(BlockResult, block_id)
        block, digest = find_block(session, block_id), result.digest if result else ""
        depends, players = _depends_on_host(session, block_id), list_players(session, block_id)
        plays.append(PlayedBlock(block, digest, depends, players))
    return plays


def _depends_on_host(session: Session, block_id: str) -> bool:
    """Return True if a fault of the block may be the host's; being killed is told by the bundle alone."""
    mine = col(BlockFault.block_id) == block_id
    of_host = select(col(BlockFault.id)).where(mine, col(BlockFault.kind).in_(HOST_FAULTS)).limit(1)
    if session.scalar(of_host) is not None:
        return True
    crashes = select(col(BlockFault.bundle)).where(mine, col(BlockFault.kind) == "crash")
    bundles = filter(None, session.scalars(crashes))  # empty once they moved to a file
    return any(msgspec.msgpack.decode(expand_bytes(each), type=Fault).killed for each in bundles)


def _read_records(session: Session, block_id: str) -> list[list[str]]:
    """Return for each set the records of its deals."""
    packed = session.get_one(BlockResult, block_id).records
    sets = msgspec.msgpack.decode(expand_bytes(packed), type=list[SetOutcome])
    return [[deal.record for deal in one.deals] for one in sets]


def _add_play(
    session: Session, contest: Contest, job: Job, block: Block, played: list[Block], now: int
) -> str:
    """Queue the block for workers that did not play it; return the copy's id, "" if there are none."""
    players = (name for one in played for name in list_players(session, one.id).values())
    barred = bar_players(session, [*(one.worker for one in played), *players], now)
    if not barred:
        return ""
    again = open_copy(session, contest, _own_id(contest.id))
    ident = _own_id(job.id)
    if session.get(Job, ident) is None:
        copy_job(session, again, job, ident)
    last = session.scalar(select(func.max(col(Block.number))).where(col(Block.job_id) == ident))
    copy = Block(
        id=new_id("block"),
        job_id=ident,
        contest_id=again.id,
        number=0 if last is None else last + 1,
        first_set=block.first_set,
        sets=block.sets,
        queued_at=now,
        barred=barred,
    )
    session.add(copy)
    session.flush()
    return copy.id


def bar_players(session: Session, players: list[str], now: int) -> str:
    """Return the names barred from a copy: all on its players' machines, if there is another machine."""
    names = session.scalars(select(col(Worker.name)).where(*is_present(now))).all()
    machines = {machine_prefix(name) for name in players}
    tokens = {host_of(name) for name in players if "/" in name}  # regardless of their workers' names
    here = {name for name in names if machine_prefix(name) in machines} | set(players) | tokens
    for barred in (here, set(players)):
        if set(names) - barred:
            return "\n" + "\n".join(sorted(barred)) + "\n"
    return ""


def _own_id(ident: str) -> str:
    return "audit_" + ident.partition("_")[2]


def open_copy(session: Session, contest: Contest, ident: str) -> Contest:
    """Return the contest of this id for replays of this one; it has no other use."""
    again = session.get(Contest, ident, with_for_update=True)
    if again is None:  # others that find none wait for this lock, and then find it
        session.get_one(Contest, contest.id, with_for_update={"key_share": True})
        again = session.get(Contest, ident, with_for_update=True)
    if again is None:
        again = Contest(id=ident, purpose="audit", **{one: getattr(contest, one) for one in KEPT_CONTEST})
        session.add(again)
    again.state, again.moved_at = "running", 0  # its new records move later, as earlier ones did
    session.flush()
    return again


def copy_job(session: Session, again: Contest, job: Job, ident: str) -> None:
    """Add the job to the contest in which it is played again."""
    session.add(Job(id=ident, contest_id=again.id, **{one: getattr(job, one) for one in KEPT_JOB}))
    session.flush()
    seats = session.scalars(select(JobSeat).where(col(JobSeat.job_id) == job.id)).all()
    session.add_all(JobSeat(job_id=ident, **{one: getattr(seat, one) for one in KEPT_SEAT}) for seat in seats)
    session.flush()
