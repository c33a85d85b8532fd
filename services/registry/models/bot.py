"""Bots, their versions and the validation of these."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Index,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlmodel import Field

from services.registry.domain.state import State
from services.registry.domain.trial import TRIAL_STATES
from services.registry.models.base import RegistryTable
from services.shared.store.column import added_number, added_word, one_of, time_column

VALIDATED = text("validated_ms > 0")
UPLOADED = text("state = 'uploaded'")
TRIAL_OPEN = text("state IN ('waiting', 'playing')")
OPEN_TRIALS = text("trial.state IN ('waiting', 'playing')")  # TRIAL_OPEN in queries, for its index
AS_BYTES = String().with_variant(String(collation="C"), "postgresql")  # so that both databases order it alike


class Bot(RegistryTable, table=True):
    """A named competitor. brought_by: the account that brought it into its team; "" if none did."""

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    created_at: int = time_column()
    retired_at: int | None = time_column(default=None, nullable=True)
    brought_by: str = added_word()

    __table_args__ = (
        CheckConstraint("length(name) BETWEEN 2 AND 40", name="name_length"),
        CheckConstraint("name = lower(name)", name="name_lower"),
    )


class Version(RegistryTable, table=True):
    """An immutable program of a bot, and the state of its validation.

    `fence` grows with every claim; `revision` with every change, for watchers. `since` is the start of the
    state; `lease_until` is set exactly while a worker has it.
    """

    id: str = Field(primary_key=True)
    bot_id: str = Field(foreign_key="bot.id", index=True)
    number: int
    sha256: str = Field(index=True)
    size: int
    built_sha256: str = Field(default="", index=True)  # of its build step's output
    built_platform: str = ""  # of that build
    built_size: int = 0
    state: str
    reason: str = ""
    suspended: str = ""  # why an active version is validated again, until it is
    rules: str = ""  # space-separated; empty: all
    seats: str = ""
    log: str = Field(default="", sa_type=Text)
    progress: str = ""  # of the validation, in words
    validated_ms: int = Field(default=0, sa_type=BigInteger)  # duration of its validations
    revision: int = 0
    fence: int = Field(default=0, sa_type=BigInteger)
    attempts: int = 0
    worker: str = ""
    created_at: int = time_column()
    since: int = time_column()
    lease_until: int | None = time_column(default=None, nullable=True)
    turn: str = added_word()  # the key of the Turn in which it waits
    turn_cost: int = added_number()  # ms that it may well take
    activates: bool = Field(default=False, sa_column_kwargs={"server_default": false()})  # by passing
    runtime: str = added_word()  # of its manifest
    plays_people: bool = Field(default=False, sa_column_kwargs={"server_default": false()})  # or its author

    __table_args__ = (
        UniqueConstraint("bot_id", "number"),
        UniqueConstraint("bot_id", "sha256", name="uq_version_bot_id_sha256"),
        one_of("state", tuple(state.value for state in State)),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("length(sha256) = 64", name="sha256_length"),
        CheckConstraint("fence >= 0 AND attempts >= 0 AND revision >= 0", name="counts"),
        CheckConstraint("(state = 'validating') = (lease_until IS NOT NULL)", name="lease"),
        CheckConstraint("state NOT IN ('refused', 'stalled') OR reason <> ''", name="reason"),
        Index(
            "uq_version_active",
            "bot_id",
            unique=True,
            sqlite_where=text("state = 'active'"),
            postgresql_where=text("state = 'active'"),
        ),
        Index("ix_version_state_since", "state", "since"),
        Index("ix_version_turn", "turn", "since", "id", sqlite_where=UPLOADED, postgresql_where=UPLOADED),
        Index("ix_version_validated", "since", sqlite_where=VALIDATED, postgresql_where=VALIDATED),
    )


class Turn(RegistryTable, table=True):
    """A node of the tree by which validations take turns (domain/turn.py). used, due: as there.

    clock: the `used` that its children have reached; a child that returns after a rest begins there. cost,
    since: of its next version, 0 if none waits.
    """

    key: str = Field(primary_key=True, sa_type=AS_BYTES)
    parent: str = Field(sa_type=AS_BYTES)
    used: int = time_column(default=0)
    clock: int = time_column(default=0)
    cost: int = time_column(default=0)
    since: int = time_column(default=0)
    due: int = time_column()

    __table_args__ = (
        Index("ix_turn_due", "parent", "due", "since", "key"),
        Index("ix_turn_waiting", "due"),
    )


class Platform(RegistryTable, table=True):
    """A platform of workers, empty if not stated, with the time of the last claim of a validation."""

    name: str = Field(primary_key=True)
    claimed_at: int = time_column()


class Trial(RegistryTable, table=True):
    """A validation of a version in variants that were made for one contest, besides its own one.

    key: what it is for. terms: JSON of what is played (domain/trial.py). `fence` grows with every claim;
    `since` is the start of the state; lease_until: 0 unless a worker has it.
    """

    id: str = Field(primary_key=True)
    version_id: str = Field(foreign_key="version.id")
    key: str
    terms: str = Field(sa_type=Text)
    state: str = "waiting"
    reason: str = added_word()
    log: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    worker: str = added_word()
    fence: int = added_number()
    attempts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    since: int = time_column()
    lease_until: int = added_number()

    __table_args__ = (
        UniqueConstraint("version_id", "key", name="uq_trial_version_id_key"),
        one_of("state", TRIAL_STATES),
        Index("ix_trial_open", "since", sqlite_where=TRIAL_OPEN, postgresql_where=TRIAL_OPEN),
    )
