"""The tables of the tournament service.

Times are whole milliseconds since 1970, UTC; 0 means not yet. Nothing is ever deleted but events that were
sent.

What is played hangs on a contest: its jobs, their blocks, results, faults and events. A tournament has a
contest of its own id, and each of its matches a job of its own id; what is played knows neither.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    LargeBinary,
    MetaData,
    UniqueConstraint,
    false,
    text,
)
from sqlmodel import Field, SQLModel

from services.shared.action_table import ActionRow
from services.shared.change_table import ChangeRow
from services.shared.leader import LeaderRow
from services.shared.migrate import NAMING

TOURNAMENT_STATES = ("created", "open", "running", "paused", "decided", "finished", "cancelled")
MATCH_STATES = ("playing", "decided", "withdrawn")
PURPOSES = ("tournament", "practice", "ladder", "audit")  # whose blocks come first
CONTEST_STATES = ("waiting", "running", "paused", "over")
JOB_STATES = ("open", "paused", "over")
_LIVE = text("state <> 'withdrawn'")
_UNTOLD = text("words <> ''")
_NOT_OVER = text("state NOT IN ('finished', 'cancelled')")
_ASKED = text("request <> ''")
AUDIT_OUTCOMES = ("open", "same", "odd", "differs", "incomparable", "dropped")
BLOCK_STATES = ("queued", "claimed", "done", "dropped", "void")


class Table(SQLModel):
    """Tables of this service alone, whatever else is imported into the process."""

    metadata = MetaData(naming_convention=NAMING)


def _one_of(column: str, words: tuple[str, ...]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(word) for word in words)})", name=column)


def _time() -> Any:
    return Field(default=0, sa_type=BigInteger)


def _later_time() -> Any:
    """A time of a column that came later: rows from before have none."""
    return Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})


def _bytes() -> Any:
    return Field(sa_column=Column(LargeBinary, nullable=False))


class Tournament(Table, table=True):
    """A tournament. `version` counts its changes: a plan made for an older one is void.

    organiser: the account that made it and may change it. compared: once it is finished. due_at: when it goes
    on by itself: it starts while it is open, and it is finished while it is decided; 0: it waits for an
    organiser.
    """

    __tablename__ = "tournament"
    __table_args__ = (
        _one_of("state", TOURNAMENT_STATES),
        CheckConstraint("version >= 0", name="version"),
        Index("ix_tournament_open", "organiser", sqlite_where=_NOT_OVER, postgresql_where=_NOT_OVER),
    )

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    state: str = "created"
    spec: str  # canonical TOML without the secret
    rules: str
    options: str  # JSON, as in RuleSet
    rules_hash: str
    secret: str
    secret_given: bool
    commitment: str
    root: str = ""  # of spec and entries, from the start on
    compared: str = Field(default="", sa_column_kwargs={"server_default": ""})
    version: int = 0
    created_at: int = _time()
    started_at: int = _time()
    ended_at: int = _time()
    due_at: int = _later_time()
    organiser: str = Field(default="admin", sa_column_kwargs={"server_default": "admin"})
    closed_at: int = _later_time()


class Entry(Table, table=True):
    """A version of a bot in a tournament; numbers run 1, 2, 3 … without a gap.

    commitment: SHA-256 of the author's nonce, "" if there is none; nonce: "" until it is opened.
    disqualified: why, "" if it is not.
    """

    __tablename__ = "entry"
    __table_args__ = (
        UniqueConstraint("tournament_id", "number", name="uq_entry_number"),
        UniqueConstraint("tournament_id", "bot_name", name="uq_entry_bot_name"),
        CheckConstraint("number >= 1", name="number"),
    )

    id: str = Field(primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    number: int
    bot_name: str
    account_name: str
    version_id: str
    sha256: str
    withdrawn: bool = False
    built_sha256: str = ""
    built_platform: str = ""
    entered_at: int = _later_time()
    commitment: str = Field(default="", sa_column_kwargs={"server_default": ""})
    nonce: str = Field(default="", sa_column_kwargs={"server_default": ""})
    disqualified: str = Field(default="", sa_column_kwargs={"server_default": ""})


class Match(Table, table=True):
    """Two entrants, until it is decided. A match taken back stays as history; the next take has its label.

    seed_take: the last take that an organiser gave fresh seeds, at most this one; 0: none. reason: why this
    take was begun after the one before it.
    """

    __tablename__ = "match"
    __table_args__ = (
        UniqueConstraint("tournament_id", "label", "take", name="uq_match_label"),
        Index(
            "uq_match_live",
            "tournament_id",
            "label",
            unique=True,
            sqlite_where=_LIVE,
            postgresql_where=_LIVE,
        ),
        _one_of("state", MATCH_STATES),
        CheckConstraint("first >= 1 AND second >= 1 AND first <> second", name="pair"),
        CheckConstraint("state <> 'decided' OR verdict <> ''", name="verdict"),
        CheckConstraint("take >= 1", name="take"),
    )

    id: str = Field(primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    label: str
    take: int = 1
    stage: int
    round: int
    number: int
    first: int
    second: int
    bracket: bool
    better_seed: int
    state: str = "playing"
    verdict: str = ""  # JSON of contest's Verdict, once decided
    seed_take: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    reason: str = Field(default="", sa_column_kwargs={"server_default": ""})
    queued_at: int = _later_time()
    decided_at: int = _later_time()
    withdrawn_at: int = _later_time()


class Contest(Table, table=True):
    """Something that is played, whatever for. Workers are shared between authors, then between contests.

    author: the account that asked for it. variant_toml: the text of a variant of somebody's own. root: of its
    terms, "" until it starts. chain: the last link, made of `booked` results (maumau/contest/chain.py).
    changes: of its results, of its jobs and of what they wait for. request: of whoever asked for it, "" for a
    tournament. closed: it takes no more jobs.
    """

    __tablename__ = "contest"
    __table_args__ = (
        _one_of("purpose", PURPOSES),
        _one_of("state", CONTEST_STATES),
        CheckConstraint("seats BETWEEN 2 AND 10", name="seats"),
        CheckConstraint("booked >= 0 AND changes >= booked", name="counts"),
        Index("uq_contest_request", "request", unique=True, sqlite_where=_ASKED, postgresql_where=_ASKED),
    )

    id: str = Field(primary_key=True)
    purpose: str
    author: str
    state: str = Field(default="waiting", index=True)
    rules: str
    options: str  # JSON, as in RuleSet
    rules_hash: str
    variant_toml: str = ""
    seats: int
    score: str
    deal_ms: int
    memory: int  # MiB
    secret: str
    root: str = ""
    chain: str = ""
    booked: int = 0
    changes: int = 0
    request: str = Field(default="", sa_column_kwargs={"server_default": ""})
    closed: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class Job(Table, table=True):
    """Who plays whom in a contest, until it is decided. Its label and its take name it in the chain.

    seed_take: the take for which its seeds were made afresh, 0 if they are the first ones. changed: how many
    changes its contest had when the last one was made of this job. replayed: the least share of its sets that
    are played again before they are booked. started_at: when the first of its blocks with a result was
    claimed.
    """

    __tablename__ = "job"
    __table_args__ = (
        Index("ix_job_changed", "contest_id", "changed"),
        UniqueConstraint("contest_id", "label", "take", name="uq_job_label"),
        _one_of("state", JOB_STATES),
    )

    id: str = Field(primary_key=True)
    contest_id: str = Field(foreign_key="contest.id")
    label: str
    take: int = 1
    seed_take: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    state: str = "open"
    changed: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    replayed: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    started_at: int = _later_time()


class JobSeat(Table, table=True):
    """A program of a job. Positions run 0, 1, 2 …; number: the entrant's in the contest."""

    __tablename__ = "job_seat"
    __table_args__ = (
        UniqueConstraint("job_id", "number", name="uq_job_seat_number"),
        CheckConstraint("position BETWEEN 0 AND 9 AND number >= 1", name="position"),
    )

    job_id: str = Field(primary_key=True, foreign_key="job.id")
    position: int = Field(primary_key=True)
    number: int
    version_id: str
    sha256: str
    bot_name: str
    account_name: str
    built_sha256: str = ""
    built_platform: str = ""


class Block(Table, table=True):
    """The unit of work, and its lease. `fence` never falls: a report with an older one is stale.

    excused: if this lease runs out, it was the service's doing. forgiven: failures up to this fence count no
    more. voided: how often it was given up. sums: of its sets (services/tournament/pack.py) once
    it is done; "" at more than two seats, and where an earlier arena booked it. barred: names of workers that
    must not play it, a line feed before and after each.
    """

    __tablename__ = "block"
    __table_args__ = (
        UniqueConstraint("job_id", "number", name="uq_block_number"),
        Index("ix_block_turn", "contest_id", "state", "number", "id"),
        _one_of("state", BLOCK_STATES),
        CheckConstraint("number >= 0 AND first_set >= 0 AND sets >= 1", name="sets"),
        CheckConstraint("fence >= 0 AND attempts >= 0 AND deals_done >= 0", name="counts"),
        CheckConstraint("state <> 'claimed' OR (fence >= 1 AND lease_until > 0)", name="lease"),
    )

    id: str = Field(primary_key=True)
    job_id: str = Field(foreign_key="job.id")
    contest_id: str = Field(foreign_key="contest.id")
    number: int
    first_set: int
    sets: int
    state: str = Field(default="queued", index=True)
    fence: int = Field(default=0, sa_type=BigInteger)
    attempts: int = 0
    worker: str = ""
    words: str = ""  # why the last worker gave it back
    deals_done: int = 0
    queued_at: int = _time()
    claimed_at: int = _time()
    progress_at: int = _time()
    lease_until: int = _time()
    rests_until: int = _time()  # a second run is later, and so is another attempt
    excused: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    forgiven: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    voided: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    sums: str = Field(default="", sa_column_kwargs={"server_default": ""})
    barred: str = Field(default="", sa_column_kwargs={"server_default": ""})


class BlockResult(Table, table=True):
    """What a block came to, once and for all: its key is the block's.

    digest: of its records. booking, chain: its number among all of the tournament, and the link with it.
    """

    __tablename__ = "block_result"

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    scores: bytes = _bytes()  # what judging needs
    records: bytes = _bytes()  # every deal as it was played
    measured: bytes = _bytes()
    digest: str = Field(default="", sa_column_kwargs={"server_default": ""})
    booking: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    chain: str = Field(default="", sa_column_kwargs={"server_default": ""})
    stored_at: int = _time()


class FirstRun(Table, table=True):
    """The first run of a block in which a program ran out of time: measured, and never counted.

    overran: the numbers of those entries, such as `1,2`. The worker gets the block again only where there is
    no other.
    """

    __tablename__ = "first_run"

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    fence: int = Field(sa_type=BigInteger)
    worker: str
    overran: str
    measured: bytes = _bytes()
    stored_at: int = _time()


class PlayedSeating(Table, table=True):
    """A seating of a block that was played by itself; once the block is booked, who played it."""

    __tablename__ = "played_seating"
    __table_args__ = (CheckConstraint("seating BETWEEN 0 AND 9", name="seating"),)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    seating: int = Field(primary_key=True)
    fence: int = Field(sa_type=BigInteger)
    worker: str
    sets: bytes = _bytes()
    measured: bytes = _bytes()
    stored_at: int = _time()


class Failure(Table, table=True):
    """A run of a block that came to nothing, by no fault that was found of either program.

    in_row: the how many-th it was of its worker without a result in between, from 1. unfit: the worker found
    afterwards that it could play nothing.
    """

    __tablename__ = "failure"

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    fence: int = Field(primary_key=True, sa_type=BigInteger)
    worker: str
    stored_at: int = _time()
    in_row: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    unfit: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class Audit(Table, table=True):
    """A booked block that other workers play again. second, third: the blocks in which they do.

    Once it is closed, by lines: who played it, and the hashes of its programs. worker: the odd one of three.
    """

    __tablename__ = "audit"
    __table_args__ = (_one_of("outcome", AUDIT_OUTCOMES),)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    second: str
    third: str = ""
    outcome: str = Field(default="open", index=True)
    worker: str = ""
    workers: str = ""
    programs: str = ""
    ordered_at: int = _time()


class Worker(Table, table=True):
    """Who claims blocks. in_row: its failures since its last result, the first of them at `failing_since`.

    suspended_at: since when it claims nothing, because it failed its own test, and why in words.
    distrusted_at: since when it is given nothing, because deals that it reported were not played so.
    """

    __tablename__ = "worker"

    name: str = Field(primary_key=True)
    seen_at: int = Field(default=0, sa_type=BigInteger, index=True)
    in_row: int = 0
    failing_since: int = _time()
    suspended_at: int = _time()
    distrusted_at: int = Field(
        default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"}, index=True
    )
    words: str = ""


class Lack(Table, table=True):
    """A worker cannot play with rules, or a program, of this hash: it lacks a runtime, or has other rules."""

    __tablename__ = "lack"

    worker: str = Field(primary_key=True)
    hash: str = Field(primary_key=True, index=True)
    words: str
    stored_at: int = _time()


class Beat(Table, table=True):
    """When the service was last at work: one row."""

    __tablename__ = "beat"

    id: int = Field(primary_key=True)
    at: int = _time()


class Fault(Table, table=True):
    """A deal that a bot lost by its own doing; `bundle` has everything its author needs."""

    __tablename__ = "fault"
    __table_args__ = (CheckConstraint("set_number >= 0 AND seating >= 0", name="deal"),)

    id: str = Field(primary_key=True)
    block_id: str = Field(foreign_key="block.id", index=True)
    entrant: int  # the entry's number
    set_number: int
    seating: int
    kind: str
    words: str
    bundle: bytes = _bytes()


class Form(Table, table=True):
    """How a version plays: its matches in a row with a fault; why it is to be suspended, till told."""

    __tablename__ = "form"
    __table_args__ = (
        CheckConstraint("faulty >= 0", name="faulty"),
        Index("ix_form_untold", "words", sqlite_where=_UNTOLD, postgresql_where=_UNTOLD),
    )

    version_id: str = Field(primary_key=True)
    faulty: int = 0
    words: str = ""


class Outbox(Table, table=True):
    """Events that happened together with a change, until they stand in the contest's stream."""

    __tablename__ = "outbox"
    # a number that was told is never another event's, else that one counts as told
    __table_args__ = {"sqlite_autoincrement": True}

    id: int | None = Field(default=None, primary_key=True)
    contest_id: str = Field(foreign_key="contest.id")
    event: bytes = _bytes()
    created_at: int = _time()


class Action(ActionRow, Table, table=True):
    """What admins asked of this service."""

    __tablename__ = "action"


class Change(ChangeRow, Table, table=True):
    """What was changed within the last day, by request, and what was answered."""

    __tablename__ = "change"


class Leader(LeaderRow, Table, table=True):
    """Which replica does what only one does."""

    __tablename__ = "leader"
