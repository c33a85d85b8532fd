"""Blocks, their results, and the runs that led to them."""

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint, false, text
from sqlmodel import Field

from services.shared.store.column import (
    added_bytes,
    added_number,
    added_word,
    bytes_column,
    one_of,
    time_column,
)
from services.tournament.models.base import TournamentTable

BLOCK_STATES = ("queued", "claimed", "done", "dropped", "void")
_QUEUED = text("state = 'queued'")
ISOLATION_OUTCOMES = ("open", "compared", "dropped")
AUDIT_OUTCOMES = ("open", "same", "odd", "differs", "incomparable", "dropped")


class Block(TournamentTable, table=True):
    """The unit of work, and its lease. `fence` never falls: a report with an older one is stale.

    excused: the service is to blame if this lease runs out. forgiven: failures up to this fence count no
    more. voided: number of times it was given up. sums: of its sets (services/tournament/domain/pack.py) once
    it is done; "" of jobs at more than two seats, and where an earlier arena booked it. barred: names of
    workers that must not play it, and HOST/ for all of a host, a line feed before and after each. isolated:
    the seating and the deals that are played again alone (services/tournament/domain/isolation.py), "" for
    the whole block.
    """

    __tablename__ = "block"
    __table_args__ = (
        UniqueConstraint("job_id", "number", name="uq_block_number"),
        Index("ix_block_turn", "contest_id", "state", "number", "id"),
        Index("ix_block_wait", "contest_id", "queued_at", sqlite_where=_QUEUED, postgresql_where=_QUEUED),
        one_of("state", BLOCK_STATES),
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
    words: str = ""  # message of the last worker that gave it back
    deals_done: int = 0
    queued_at: int = time_column(default=0)
    claimed_at: int = time_column(default=0)
    progress_at: int = time_column(default=0)
    lease_until: int = time_column(default=0)
    rests_until: int = time_column(default=0)  # a second run is later, and so is another attempt
    excused: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    forgiven: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    voided: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    sums: str = Field(default="", sa_column_kwargs={"server_default": ""})
    barred: str = Field(default="", sa_column_kwargs={"server_default": ""})
    isolated: str = added_word()


class BlockResult(TournamentTable, table=True):
    """The final result of a block: its key is the block's.

    decisions: number of decisions of its programs; 0 if an earlier release booked it.
    digest: of its records. booking, chain: its number among all bookings of the contest, and its link.
    file_name: the file that holds its records once they moved, file_size bytes from byte file_offset on.
    """

    __tablename__ = "block_result"
    __table_args__ = (Index("ix_block_result_stored", "stored_at", "decisions"),)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    scores: bytes = bytes_column()  # for judging
    records: bytes = bytes_column()  # every deal as it was played
    measured: bytes = bytes_column()
    digest: str = Field(default="", sa_column_kwargs={"server_default": ""})
    booking: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    chain: str = Field(default="", sa_column_kwargs={"server_default": ""})
    stored_at: int = time_column(default=0)
    file_name: str = added_word()
    file_offset: int = added_number()
    file_size: int = added_number()
    decisions: int = added_number()


class FirstRun(TournamentTable, table=True):
    """The first run of a block with provisional faults: all that they did not cost counts.

    overran: the numbers of the entries with such a fault, such as `1,2`. The same worker gets the block again
    only if there is no other. sets: what was played, until the block is booked; none in rows of an earlier
    arena.
    players: names of the workers that played it, a line feed before and after each.
    """

    __tablename__ = "first_run"

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    fence: int = Field(sa_type=BigInteger)
    worker: str
    overran: str
    measured: bytes = bytes_column()
    stored_at: int = time_column(default=0)
    sets: bytes | None = added_bytes()
    players: str = added_word()


class PlayedSeating(TournamentTable, table=True):
    """A seating of a block that was played by itself; once the block is booked, only its worker's name."""

    __tablename__ = "played_seating"
    __table_args__ = (CheckConstraint("seating BETWEEN 0 AND 9", name="seating"),)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    seating: int = Field(primary_key=True)
    fence: int = Field(sa_type=BigInteger)
    worker: str = Field(index=True)
    sets: bytes = bytes_column()
    measured: bytes = bytes_column()
    stored_at: int = time_column(default=0)


class Failure(TournamentTable, table=True):
    """A run of a block that failed without a known fault of either program.

    contest_id: the block's; "" if a replica of an earlier version noted it. in_row: its place among the
    worker's failures without a result in between, from 1. unfit: the worker found afterwards that it could
    play nothing.
    """

    __tablename__ = "failure"
    __table_args__ = (Index("ix_failure_worker", "worker", "stored_at"),)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    fence: int = Field(primary_key=True, sa_type=BigInteger)
    contest_id: str = Field(default="", index=True, sa_column_kwargs={"server_default": ""})
    worker: str
    stored_at: int = time_column(default=0)
    in_row: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    unfit: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class Audit(TournamentTable, table=True):
    """A booked block that other workers play again. second, third: the blocks in which they do.

    Once closed, one per line: workers that played it, hashes of its programs. worker: the odd one of three.
    """

    __tablename__ = "audit"
    __table_args__ = (one_of("outcome", AUDIT_OUTCOMES),)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    second: str
    third: str = ""
    outcome: str = Field(default="open", index=True)
    worker: str = ""
    workers: str = ""
    programs: str = ""
    ordered_at: int = time_column(default=0)


class Isolation(TournamentTable, table=True):
    """A booked block some of whose deals are played again alone.

    told: id of the copy of deals from the seating played second. fresh: id of the copy of deals from
    the first seating of fresh_block_id; "" if only screened. marks: JSON, by entrant those of the
    told and of the fresh deals (maumau/contest/export/foreknowledge.py).
    """

    __tablename__ = "isolation"
    __table_args__ = (
        Index("ix_isolation_contest", "contest_id", "outcome", "closed_at"),
        one_of("outcome", ISOLATION_OUTCOMES),
    )

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    contest_id: str = Field(foreign_key="contest.id")
    told: str
    fresh_block_id: str = ""
    fresh: str = ""
    outcome: str = Field(default="open", index=True)
    marks: str = ""
    ordered_at: int = time_column(default=0)
    closed_at: int = time_column(default=0)


class BlockFault(TournamentTable, table=True):
    """A deal that a bot lost through its own fault; `bundle` has everything its author needs.

    file_name, file_offset, file_size: its place once it moved to a file, as with BlockResult;
    last_line: of its program's log, for lists, from then on.
    """

    __tablename__ = "fault"
    __table_args__ = (CheckConstraint("set_number >= 0 AND seating >= 0", name="deal"),)

    id: str = Field(primary_key=True)
    block_id: str = Field(foreign_key="block.id", index=True)
    entrant: int  # the entry's number
    set_number: int
    seating: int
    kind: str
    words: str
    bundle: bytes = bytes_column()
    file_name: str = added_word()
    file_offset: int = added_number()
    file_size: int = added_number()
    last_line: str = added_word()
