"""The registry's tables. Times are whole milliseconds since 1970, UTC.

Nothing is deleted but messages that were sent.
"""

from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Index, MetaData, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from services.registry.state import State
from services.shared.action_table import ActionRow
from services.shared.change_table import ChangeRow
from services.shared.leader import LeaderRow
from services.shared.migrate import NAMING

VALIDATED = text("validated_ms > 0")
_WORDS = ", ".join(repr(state.value) for state in State)


def _time(**more: Any) -> Any:
    return Field(sa_type=BigInteger, **more)


class Table(SQLModel):
    """Tables of this service alone, whatever else is imported into the process."""

    metadata = MetaData(naming_convention=NAMING)


class Account(Table, table=True):
    """Who submits bots, or runs the arena. `scopes`, space-separated: what its tokens have by default."""

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    scopes: str
    created_at: int = _time()

    __table_args__ = (CheckConstraint("length(name) BETWEEN 3 AND 32", name="name_length"),)


class Token(Table, table=True):
    """SHA-256 of a token, in hex; the token itself is nowhere. Without an end: the arena's own.

    parent: the id of the token that made it, empty for an account's first one and the arena's own.
    replaces: the id of the token that ends when this one is first used; empty if there is none.
    used_at: when it was last used, up to an hour too early, as it is written at most once an hour; None: not
    since this has been recorded.
    """

    hash: str = Field(primary_key=True)
    id: str = Field(unique=True, index=True)
    label: str = ""
    parent: str = Field(default="", index=True)
    replaces: str = Field(default="", index=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    scopes: str
    created_at: int = _time()
    expires_at: int | None = _time(default=None, nullable=True)
    revoked_at: int | None = _time(default=None, nullable=True)
    used_at: int | None = _time(default=None, nullable=True)

    __table_args__ = (CheckConstraint("length(hash) = 64", name="hash_length"),)


class PageCode(Table, table=True):
    """SHA-256 of a code for the page, which a token made: it has one at most, and none once it was used."""

    token_id: str = Field(primary_key=True)
    hash: str = Field(unique=True)
    expires_at: int = _time()

    __tablename__ = "page_code"
    __table_args__ = (CheckConstraint("length(hash) = 64", name="hash_length"),)


class Bot(Table, table=True):
    """A named competitor."""

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    created_at: int = _time()
    retired_at: int | None = _time(default=None, nullable=True)

    __table_args__ = (
        CheckConstraint("length(name) BETWEEN 2 AND 40", name="name_length"),
        CheckConstraint("name = lower(name)", name="name_lower"),
    )


class Version(Table, table=True):
    """An immutable program of a bot, and where its validation stands.

    `fence` grows with every claim; `revision` with every change, for those who watch. `since` is when the
    state began; `lease_until` is set exactly while a worker has it.
    """

    id: str = Field(primary_key=True)
    bot_id: str = Field(foreign_key="bot.id", index=True)
    number: int
    sha256: str = Field(index=True)
    size: int
    built_sha256: str = Field(default="", index=True)  # of what its build step left behind
    built_platform: str = ""  # where
    built_size: int = 0
    state: str
    reason: str = ""
    suspended: str = ""  # why an active version is validated again, until it is
    rules: str = ""  # space-separated; empty: all
    seats: str = ""
    log: str = Field(default="", sa_type=Text)
    progress: str = ""  # of the validation, in words
    validated_ms: int = Field(default=0, sa_type=BigInteger)  # that its validations took
    revision: int = 0
    fence: int = Field(default=0, sa_type=BigInteger)
    attempts: int = 0
    worker: str = ""
    created_at: int = _time()
    since: int = _time()
    lease_until: int | None = _time(default=None, nullable=True)

    __table_args__ = (
        UniqueConstraint("bot_id", "number"),
        UniqueConstraint("bot_id", "sha256", name="uq_version_bot_id_sha256"),
        CheckConstraint(f"state IN ({_WORDS})", name="state"),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("length(sha256) = 64", name="sha256_length"),
        CheckConstraint("fence >= 0 AND attempts >= 0 AND revision >= 0", name="counts"),
        CheckConstraint("(state = 'validating') = (lease_until IS NOT NULL)", name="lease"),
        CheckConstraint("state NOT IN ('refused', 'stalled') OR reason <> ''", name="reason"),
        Index(
            "uq_version_active", "bot_id", unique=True,
            sqlite_where=text("state = 'active'"), postgresql_where=text("state = 'active'"),
        ),
        Index("ix_version_state_since", "state", "since"),
        Index("ix_version_validated", "since", sqlite_where=VALIDATED, postgresql_where=VALIDATED),
    )  # fmt: skip


class Outbox(Table, table=True):
    """A message to send after the commit that wrote it."""

    id: int | None = Field(default=None, primary_key=True)
    task: str
    subject: str


class Action(ActionRow, Table, table=True):
    """What admins asked of this service."""

    __tablename__ = "action"


class Change(ChangeRow, Table, table=True):
    """What was changed within the last day, by request, and what was answered."""

    __tablename__ = "change"


class Leader(LeaderRow, Table, table=True):
    """Which replica does what only one does."""

    __tablename__ = "leader"
