"""Workers, and what the service keeps about itself."""

from sqlalchemy import BigInteger, Index
from sqlmodel import Field

from services.shared.action_table import ActionRow
from services.shared.change_table import ChangeRow
from services.shared.leader import LeaderRow
from services.tournament.models.base import Table, time_of


class Worker(Table, table=True):
    """Who claims blocks. in_row: its failures since its last result, the first of them at `failing_since`.

    suspended_at: since when it claims nothing, because it failed its own test, and why in words.
    distrusted_at: since when it is given nothing, because deals that it reported were not played so.
    memory: MiB for the programs of a block, as it last said when it asked for one; 0 if it did not.
    """

    __tablename__ = "worker"
    # names of one host are found by how they begin
    __table_args__ = (Index("ix_worker_name", "name", postgresql_ops={"name": "varchar_pattern_ops"}),)

    name: str = Field(primary_key=True)
    seen_at: int = Field(default=0, sa_type=BigInteger, index=True)
    in_row: int = 0
    failing_since: int = time_of()
    suspended_at: int = time_of()
    distrusted_at: int = Field(
        default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"}, index=True
    )
    words: str = ""
    memory: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})


class Lack(Table, table=True):
    """A worker cannot play with rules, or a program, of this hash: it lacks a runtime, or has other rules."""

    __tablename__ = "lack"

    worker: str = Field(primary_key=True)
    hash: str = Field(primary_key=True, index=True)
    words: str
    stored_at: int = time_of()


class Beat(Table, table=True):
    """When the service was last at work: one row."""

    __tablename__ = "beat"

    id: int = Field(primary_key=True)
    at: int = time_of()


class Action(ActionRow, Table, table=True):
    """What admins asked of this service."""

    __tablename__ = "action"


class Change(ChangeRow, Table, table=True):
    """What was changed within the last day, by request, and what was answered."""

    __tablename__ = "change"


class Leader(LeaderRow, Table, table=True):
    """Which replica does what only one does."""

    __tablename__ = "leader"
