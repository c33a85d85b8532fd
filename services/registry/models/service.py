"""Tables that every service has: messages to send, actions, changes, clock and leader."""

from sqlmodel import Field

from services.registry.models.base import RegistryTable
from services.shared.store.action_table import ActionRow
from services.shared.store.change_table import ChangeRow
from services.shared.store.common_clock import BeatRow
from services.shared.store.leader import LeaderRow


class Outbox(RegistryTable, table=True):
    """A message to send after the commit that wrote it."""

    id: int | None = Field(default=None, primary_key=True)
    task: str
    subject: str


class RegistryAction(ActionRow, RegistryTable, table=True):
    """Requests of admins and organisers to this service."""

    __tablename__ = "action"


class RegistryChange(ChangeRow, RegistryTable, table=True):
    """Changes of the last day and their answers, by request id."""

    __tablename__ = "change"


class RegistryBeat(BeatRow, RegistryTable, table=True):
    """The latest time that a replica has told."""

    __tablename__ = "beat"


class RegistryLeader(LeaderRow, RegistryTable, table=True):
    """The leader's lease: the replica that runs the tasks of one."""

    __tablename__ = "leader"
