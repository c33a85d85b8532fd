"""Workers, and the service's own bookkeeping."""

from sqlalchemy import BigInteger, Index
from sqlmodel import Field

from services.shared.store.action_table import ActionRow
from services.shared.store.change_table import ChangeRow
from services.shared.store.column import added_number, time_column
from services.shared.store.common_clock import BeatRow
from services.shared.store.leader import LeaderRow
from services.shared.store.notice_table import NoticeRow
from services.tournament.models.base import TournamentTable


class Worker(TournamentTable, table=True):
    """A worker that claims blocks. in_row: failures since its last result, the first at `failing_since`.

    suspended_at: time since which it claims nothing because it failed its self-test; words: the reason.
    distrusted_at: time since which it is given nothing because it reported deals that were not played so.
    memory: MiB for the programs of a block, as stated in its last request; 0 if not stated.
    ended_at: time at which it said that it ends; 0 if it has not, or was heard of since.
    """

    __tablename__ = "worker"
    # names of one host are found by their prefix
    __table_args__ = (Index("ix_worker_name", "name", postgresql_ops={"name": "varchar_pattern_ops"}),)

    name: str = Field(primary_key=True)
    seen_at: int = Field(default=0, sa_type=BigInteger, index=True)
    in_row: int = 0
    failing_since: int = time_column(default=0)
    suspended_at: int = time_column(default=0)
    distrusted_at: int = Field(
        default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"}, index=True
    )
    words: str = ""
    memory: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    ended_at: int = added_number()


class Lack(TournamentTable, table=True):
    """A hash of rules or of a program that a worker cannot play: a runtime is missing, or rules differ."""

    __tablename__ = "lack"

    worker: str = Field(primary_key=True)
    hash: str = Field(primary_key=True, index=True)
    words: str
    stored_at: int = time_column(default=0)


class TournamentBeat(BeatRow, TournamentTable, table=True):
    """The latest time that a replica has told."""

    __tablename__ = "beat"


class TournamentAction(ActionRow, TournamentTable, table=True):
    """Requests of admins and organisers to this service."""

    __tablename__ = "action"


class TournamentChange(ChangeRow, TournamentTable, table=True):
    """Changes of the last day and their answers, by request id."""

    __tablename__ = "change"


class TournamentNotice(NoticeRow, TournamentTable, table=True):
    """Events for webhooks, until the registry has them. contest: its id."""

    __tablename__ = "notice"


class TournamentLeader(LeaderRow, TournamentTable, table=True):
    """The leader's lease: the replica that runs the tasks of one."""

    __tablename__ = "leader"
