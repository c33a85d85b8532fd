"""Booked blocks that are played again by other workers, for comparison. Times are ms since 1970.

What is played again has a contest of its own, with the secret and the root of the one that is audited and
jobs with its labels, so that the same seeds follow. Nobody can ask for that contest, nor for its secret.
"""

from typing import NamedTuple

import msgspec
from sqlalchemy import func, select
from sqlmodel import Session, col

from maumau.bot.referee import SetOutcome
from services.shared.connect import Database
from services.shared.ident import new_id
from services.shared.worker_name import host_of, machine_prefix
from services.tournament.liar import OddOne
from services.tournament.models import Audit, Block, BlockResult, Contest, Fault, Job, JobSeat, Worker
from services.tournament.pack import expand
from services.tournament.store.queue import find_block
from services.tournament.store.seating import list_players
from services.tournament.store.worker import is_present

HOST_FAULTS = ("time", "wall", "memory", "start")  # depend on the host, so that honest workers differ
PATIENCE = 24 * 3_600_000  # ms that an audit may take
KEPT_JOB = ("label", "take", "seed_take")
KEPT_CONTEST = (
    "author", "rules", "options", "rules_hash", "variant_toml", "seats", "score", "deal_ms", "memory",
    "secret", "root",
)  # fmt: skip
KEPT_SEAT = (
    "position", "number", "version_id", "sha256", "bot_name", "account_name", "built_sha256",
    "built_platform",
)  # fmt: skip


class Play(NamedTuple):
    """A block as it was played; digest: of its records, "" if it is not done.

    players: who played which seating; empty if its worker played all of them.
    """

    block: Block
    digest: str
    depends_on_host: bool
    players: dict[int, str]

    @property
    def workers(self) -> list[str]:
        """All that played it."""
        return list(dict.fromkeys(self.players.values())) or [self.block.worker]


class Found(NamedTuple):
    """An audit with its plays, the booked one first."""

    audit: Audit
    plays: list[Play]


class Audits:
    """Orders and what came of them."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def order(self, block_id: str, now: int) -> bool:
        """Has a booked block played again; False if it is an audit's, or nobody else is there to do it."""
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
        """Has it played once more by somebody else; False if nobody is there to do it."""
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

    def open(self) -> list[Found]:
        """Audits that are not closed."""
        with self.database.read() as session:
            audits = session.scalars(select(Audit).where(col(Audit.outcome) == "open")).all()
            return [Found(audit, _plays(session, audit)) for audit in audits]

    def close(self, found: Found, outcome: str, odd: str = "") -> bool:
        """odd: the worker that played it otherwise than two others. False if it was closed before."""
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
                contest.state = "over"  # so that claims do not look at it
            return True

    def find_odd_worker(self, odd: Play, other: Play) -> str:
        """Of a block that was played otherwise than another one: who played the seating that differs."""
        if not odd.players:
            return odd.block.worker
        with self.database.read() as session:
            sets, others = (_records(session, one.block.id) for one in (odd, other))
        for seating, worker in sorted(odd.players.items()):
            if [one[seating] for one in sets] != [one[seating] for one in others]:
                return worker
        return odd.block.worker

    def odd_ones(self) -> list[OddOne]:
        """All audits in which one worker played otherwise than two others, none of them distrusted.

        Workers with the token of a host are that host: it may give them any names.
        """
        with self.database.read() as session:
            rows = session.scalars(select(Audit).where(col(Audit.outcome) == "odd")).all()
            names = session.scalars(select(col(Worker.name)).where(col(Worker.distrusted_at) > 0))
            known = set(map(host_of, names))
        odd = [
            OddOne(host_of(row.worker), tuple(map(host_of, _lines(row.workers))), _lines(row.programs))
            for row in rows
        ]
        return [one for one in odd if known.isdisjoint(one.workers)]

    def words(self, found: Found) -> str:
        """Which block it is, such as `match 1.2.1, block 3 (first-0 - random-0)`."""
        block = found.plays[0].block
        names = select(col(JobSeat.bot_name)).where(col(JobSeat.job_id) == block.job_id)
        with self.database.read() as session:
            label = session.get_one(Job, block.job_id).label
            pair = " - ".join(session.scalars(names.order_by(col(JobSeat.position))))
        return f"match {label}, block {block.number} ({pair})"


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))


def _plays(session: Session, audit: Audit) -> list[Play]:
    plays = []
    for block_id in filter(None, (audit.block_id, audit.second, audit.third)):
        result = session.get(BlockResult, block_id)
        of_host = col(Fault.block_id) == block_id, col(Fault.kind).in_(HOST_FAULTS)
        depends = session.scalar(select(col(Fault.id)).where(*of_host).limit(1)) is not None
        block, digest = find_block(session, block_id), result.digest if result else ""
        plays.append(Play(block, digest, depends, list_players(session, block_id)))
    return plays


def _records(session: Session, block_id: str) -> list[list[str]]:
    """Of each set the records of its deals."""
    packed = session.get_one(BlockResult, block_id).records
    sets = msgspec.msgpack.decode(expand(packed), type=list[SetOutcome])
    return [[deal.record for deal in one.deals] for one in sets]


def _add_play(
    session: Session, contest: Contest, job: Job, block: Block, played: list[Block], now: int
) -> str:
    """Queues the block for workers that did not play it; its id, "" if there are none."""
    players = (name for one in played for name in list_players(session, one.id).values())
    barred = _barred(session, [*(one.worker for one in played), *players], now)
    if not barred:
        return ""
    again, ident = _contest(session, contest), _own_id(job.id)
    if session.get(Job, ident) is None:
        _add_job(session, again, job, ident)
    last = session.scalar(select(func.max(col(Block.number))).where(col(Block.job_id) == ident))
    copy = Block(
        id=new_id("block"), job_id=ident, contest_id=again.id, number=0 if last is None else last + 1,
        first_set=block.first_set, sets=block.sets, queued_at=now, barred=barred,
    )  # fmt: skip
    session.add(copy)
    session.flush()
    return copy.id


def _barred(session: Session, players: list[str], now: int) -> str:
    """Who must not play it: all on the machines of its players, where there is another machine."""
    names = session.scalars(select(col(Worker.name)).where(*is_present(now))).all()
    machines = {machine_prefix(name) for name in players}
    tokens = {host_of(name) for name in players if "/" in name}  # whatever their workers are called
    here = {name for name in names if machine_prefix(name) in machines} | set(players) | tokens
    for barred in (here, set(players)):
        if set(names) - barred:
            return "\n" + "\n".join(sorted(barred)) + "\n"
    return ""


def _own_id(ident: str) -> str:
    return "audit_" + ident.partition("_")[2]


def _contest(session: Session, contest: Contest) -> Contest:
    """The one in which this one is audited; nobody else plays in it."""
    ident = _own_id(contest.id)
    again = session.get(Contest, ident, with_for_update=True)
    if again is None:
        again = Contest(id=ident, purpose="audit", **{one: getattr(contest, one) for one in KEPT_CONTEST})
        session.add(again)
    again.state, again.moved_at = "running", 0  # what is played now moves later, as the rest did
    session.flush()
    return again


def _add_job(session: Session, again: Contest, job: Job, ident: str) -> None:
    session.add(Job(id=ident, contest_id=again.id, **{one: getattr(job, one) for one in KEPT_JOB}))
    session.flush()
    seats = session.scalars(select(JobSeat).where(col(JobSeat.job_id) == job.id)).all()
    session.add_all(JobSeat(job_id=ident, **{one: getattr(seat, one) for one in KEPT_SEAT}) for seat in seats)
    session.flush()
