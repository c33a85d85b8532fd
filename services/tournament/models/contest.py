"""Contests of any purpose, their jobs, and their events."""

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint, false, text
from sqlmodel import Field

from maumau.contest.seed import BOOKINGS_ALONE
from services.shared.store.column import added_number, added_word, bytes_column, one_of, time_column
from services.tournament.models.base import TournamentTable

PURPOSES = ("tournament", "practice", "ladder", "audit")  # in order of priority of their blocks
CONTEST_STATES = ("waiting", "running", "paused", "over")
JOB_STATES = ("open", "paused", "over")
_ASKED = text("request <> ''")
ASKED_AND_OPEN = text("request <> '' AND state <> 'over'")
UNMOVED = text("state = 'over' AND moved_at = 0 AND booked > 0")


class Contest(TournamentTable, table=True):
    """A contest of any purpose. Workers are shared between authors, then between contests.

    author: the account that asked for it. variant_toml: the text of a custom variant. root: of its
    terms, "" until it starts; version: of the root. chain: the last link, the `booked`-th
    (maumau/contest/export/chain.py), of which `linked` are not of results. compared: of the end of a
    contest of jobs. games: of a tournament with whole games the rules of each stage (domain/stage_rules.py).
    changes: of its results, of its jobs and of what they wait for. request: of
    whoever asked for it, "" for a tournament. closed: it takes no more jobs. moved_at: when the last of its
    records was moved to a file.
    """

    __tablename__ = "contest"
    __table_args__ = (
        one_of("purpose", PURPOSES),
        one_of("state", CONTEST_STATES),
        CheckConstraint("seats BETWEEN 2 AND 10", name="seats"),
        CheckConstraint("booked >= 0 AND changes >= booked", name="counts"),
        Index("uq_contest_request", "request", unique=True, sqlite_where=_ASKED, postgresql_where=_ASKED),
        Index("ix_contest_open", "id", sqlite_where=ASKED_AND_OPEN, postgresql_where=ASKED_AND_OPEN),
        # a column with a value comes first: without statistics SQLite would take the index of states instead
        Index("ix_contest_unmoved", "moved_at", "id", sqlite_where=UNMOVED, postgresql_where=UNMOVED),
        Index("ix_contest_rules", "rules_hash", "id"),
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
    secret: str = Field(index=True)
    root: str = ""
    chain: str = ""
    booked: int = 0
    changes: int = 0
    request: str = Field(default="", sa_column_kwargs={"server_default": ""})
    closed: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    moved_at: int = added_number()
    version: int = Field(default=BOOKINGS_ALONE, sa_column_kwargs={"server_default": str(BOOKINGS_ALONE)})
    linked: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    compared: str = added_word()
    games: str = added_word()

    @property
    def results(self) -> int:
        """The number of booked results."""
        return self.booked - self.linked


class ChainLink(TournamentTable, table=True):
    """A link of a contest's chain that is not of a block, such as of a withdrawal. event: its text."""

    __tablename__ = "chain_link"
    __table_args__ = (Index("ix_chain_link_kind", "contest_id", "kind"),)

    contest_id: str = Field(primary_key=True, foreign_key="contest.id")
    number: int = Field(primary_key=True)
    kind: str
    event: str


class Job(TournamentTable, table=True):
    """A pairing of programs in a contest, until it is decided; the chain names it by label and take.

    seed_take: the take for which its seeds were drawn afresh, 0 if they are the first ones. changed: the
    contest's count of changes at this job's last one. replayed: minimum share of its sets that is replayed
    before booking. started_at: claim time of the first of its blocks that has a
    result. words: why it ended before it began.
    """

    __tablename__ = "job"
    __table_args__ = (
        Index("ix_job_changed", "contest_id", "changed"),
        UniqueConstraint("contest_id", "label", "take", name="uq_job_label"),
        one_of("state", JOB_STATES),
    )

    id: str = Field(primary_key=True)
    contest_id: str = Field(foreign_key="contest.id")
    label: str
    take: int = 1
    seed_take: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    state: str = "open"
    changed: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    replayed: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    started_at: int = added_number()
    words: str = added_word()


class JobSeat(TournamentTable, table=True):
    """A program of a job. Positions run 0, 1, 2 …; number: the entrant's number in the contest.

    version: the version's number within the bot; 0 in tournaments, and if an earlier release queued the job.
    """

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
    version: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class Outbox(TournamentTable, table=True):
    """Events stored in the transaction of their change, until they are in the contest's stream."""

    __tablename__ = "outbox"
    # ids of published events are never reused: a new event with one would count as published
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    contest_id: str = Field(foreign_key="contest.id")
    event: bytes = bytes_column()
    created_at: int = time_column(default=0)
