"""Blocks: what is played, and what came of it."""

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint, false, text
from sqlmodel import Field

from services.tournament.models.base import Table, added_number, added_word, bytes_of, one_of, time_of

BLOCK_STATES = ("queued", "claimed", "done", "dropped", "void")
_QUEUED = text("state = 'queued'")
AUDIT_OUTCOMES = ("open", "same", "odd", "differs", "incomparable", "dropped")


class Block(Table, table=True):
    """The unit of work, and its lease. `fence` never falls: a report with an older one is stale.

    excused: if this lease runs out, it was the service's doing. forgiven: failures up to this fence count no
    more. voided: how often it was given up. sums: of its sets (services/tournament/pack.py) once
    it is done; "" at more than two seats, and where an earlier arena booked it. barred: names of workers that
    must not play it, and HOST/ for all of a host, a line feed before and after each.
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
    words: str = ""  # why the last worker gave it back
    deals_done: int = 0
    queued_at: int = time_of()
    claimed_at: int = time_of()
    progress_at: int = time_of()
    lease_until: int = time_of()
    rests_until: int = time_of()  # a second run is later, and so is another attempt
    excused: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    forgiven: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    voided: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    sums: str = Field(default="", sa_column_kwargs={"server_default": ""})
    barred: str = Field(default="", sa_column_kwargs={"server_default": ""})


class BlockResult(Table, table=True):
    """What a block came to, once and for all: its key is the block's.

    decisions: how many its programs made; 0 if an earlier release booked it.
    digest: of its records. booking, chain: its number among all of the tournament, and the link with it.
    file_name: the file that has its records once they moved, file_size bytes from byte file_offset on.
    """

    __tablename__ = "block_result"
    __table_args__ = (Index("ix_block_result_stored", "stored_at", "decisions"),)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    scores: bytes = bytes_of()  # what judging needs
    records: bytes = bytes_of()  # every deal as it was played
    measured: bytes = bytes_of()
    digest: str = Field(default="", sa_column_kwargs={"server_default": ""})
    booking: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    chain: str = Field(default="", sa_column_kwargs={"server_default": ""})
    stored_at: int = time_of()
    file_name: str = added_word()
    file_offset: int = added_number()
    file_size: int = added_number()
    decisions: int = added_number()


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
    measured: bytes = bytes_of()
    stored_at: int = time_of()


class PlayedSeating(Table, table=True):
    """A seating of a block that was played by itself; once the block is booked, who played it."""

    __tablename__ = "played_seating"
    __table_args__ = (CheckConstraint("seating BETWEEN 0 AND 9", name="seating"),)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    seating: int = Field(primary_key=True)
    fence: int = Field(sa_type=BigInteger)
    worker: str = Field(index=True)
    sets: bytes = bytes_of()
    measured: bytes = bytes_of()
    stored_at: int = time_of()


class Failure(Table, table=True):
    """A run of a block that came to nothing, by no fault that was found of either program.

    contest_id: the block's; "" if a replica of an earlier version noted it. in_row: the how many-th it was of
    its worker without a result in between, from 1. unfit: the worker found afterwards that it could play
    nothing.
    """

    __tablename__ = "failure"
    __table_args__ = (Index("ix_failure_worker", "worker", "stored_at"),)

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    fence: int = Field(primary_key=True, sa_type=BigInteger)
    contest_id: str = Field(default="", index=True, sa_column_kwargs={"server_default": ""})
    worker: str
    stored_at: int = time_of()
    in_row: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    unfit: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class Audit(Table, table=True):
    """A booked block that other workers play again. second, third: the blocks in which they do.

    Once it is closed, by lines: who played it, and the hashes of its programs. worker: the odd one of three.
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
    ordered_at: int = time_of()


class Fault(Table, table=True):
    """A deal that a bot lost by its own doing; `bundle` has everything its author needs.

    file_name, file_offset, file_size: where it lies once it was moved to a file, as with BlockResult;
    last_line: of its program's log, which lists show, from then on.
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
    bundle: bytes = bytes_of()
    file_name: str = added_word()
    file_offset: int = added_number()
    file_size: int = added_number()
    last_line: str = added_word()
