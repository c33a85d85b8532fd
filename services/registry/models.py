"""The registry's tables. Times are whole milliseconds since 1970, UTC.

Rows are deleted only if they are sent messages, used or expired page codes, webhooks, past retention, or
what a deleted account had of its person.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Index,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlmodel import Field, SQLModel

from services.registry.domain.role import ROLES, TEAM_ROLES
from services.registry.domain.state import State
from services.registry.domain.trial import TRIAL_STATES
from services.shared.store.action_table import ActionRow
from services.shared.store.change_table import ChangeRow
from services.shared.store.common_clock import BeatRow
from services.shared.store.leader import LeaderRow
from services.shared.store.migrate import NAMING
from services.shared.store.notice_table import NoticeRow

VALIDATED = text("validated_ms > 0")
WAITS = text("state = 'uploaded'")
IN_SITE = text("registered_site <> ''")
UNTOLD = text("told_at = 0")
DUE = text("next_at > 0")
UNDELIVERED = text("delivered_at = 0")
TRIAL_OPEN = text("state IN ('waiting', 'playing')")
OPEN_TRIALS = text("trial.state IN ('waiting', 'playing')")  # TRIAL_OPEN in queries, for its index
CONFIRMS = text("kind = 'confirm'")
EMPTY = {"server_default": ""}
BY_ADMIN = "admin"  # in place of the address that opened an account
AS_BYTES = String().with_variant(String(collation="C"), "postgresql")  # so that both databases order it alike
_WORDS = ", ".join(repr(state.value) for state in State)
_ROLES = ", ".join(map(repr, ROLES))
_TEAM_ROLES = ", ".join(map(repr, TEAM_ROLES))
STILL = text("left_at IS NULL")
STANDS = text("dissolved_at IS NULL")


def _time_column(**more: Any) -> Any:
    return Field(sa_type=BigInteger, **more)


class Table(SQLModel):
    """Base of this service's tables, with metadata apart from others imported into the process."""

    metadata = MetaData(naming_convention=NAMING)


class Account(Table, table=True):
    """An account that submits bots, or runs the arena. `scopes`, space-separated: defaults of its tokens.

    registered_from: the address that opened it (services/shared/base/address.py), or BY_ADMIN; empty if
    an earlier release opened it. registered_site: the site of that address, if it has one.
    """

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    scopes: str
    created_at: int = _time_column()
    registered_from: str = Field(default="", sa_column_kwargs=EMPTY)
    registered_site: str = Field(default="", sa_column_kwargs=EMPTY)

    __table_args__ = (
        CheckConstraint("length(name) BETWEEN 3 AND 32", name="name_length"),
        Index("ix_account_registered", "registered_from", "created_at"),
        Index(
            "ix_account_site",
            "registered_site",
            "created_at",
            sqlite_where=IN_SITE,
            postgresql_where=IN_SITE,
        ),
    )


class ClosedName(Table, table=True):
    """SHA-256 of the name of a deleted account, which nobody else is given. account_id: whose it was."""

    hash: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    closed_at: int = _time_column()

    __tablename__ = "closed_name"
    __table_args__ = (CheckConstraint("length(hash) = 64", name="hash_length"),)


class Token(Table, table=True):
    """A token by its SHA-256 in hex; the token itself is not stored. The arena's own tokens have no end.

    parent: the id of the token that made it, `settings` for a host's token of the settings, empty for
    an account's first one and the arena's own.
    replaces: the id of the token that ends when this one is first used; empty if none does.
    used_at: time of its last use, up to an hour too early, as it is written at most once an hour; None: not
    used since this has been recorded.
    """

    hash: str = Field(primary_key=True)
    id: str = Field(unique=True, index=True)
    label: str = ""
    parent: str = Field(default="", index=True)
    replaces: str = Field(default="", index=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    scopes: str
    created_at: int = _time_column()
    expires_at: int | None = _time_column(default=None, nullable=True)
    revoked_at: int | None = _time_column(default=None, nullable=True)
    used_at: int | None = _time_column(default=None, nullable=True)

    __table_args__ = (CheckConstraint("length(hash) = 64", name="hash_length"),)


class PageCode(Table, table=True):
    """SHA-256 of a code for the page, made with a token: at most one per token, deleted when used."""

    token_id: str = Field(primary_key=True)
    hash: str = Field(unique=True)
    expires_at: int = _time_column()

    __tablename__ = "page_code"
    __table_args__ = (CheckConstraint("length(hash) = 64", name="hash_length"),)


class AccountGroup(Table, table=True):
    """A group of accounts, such as a class."""

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    created_at: int = _time_column()

    __tablename__ = "account_group"
    __table_args__ = (CheckConstraint("length(name) BETWEEN 3 AND 32", name="name_length"),)


class Membership(Table, table=True):
    """An account in a group."""

    group_id: str = Field(primary_key=True, foreign_key="account_group.id")
    account_id: str = Field(primary_key=True, foreign_key="account.id", index=True)
    role: str
    joined_at: int = _time_column()

    __table_args__ = (CheckConstraint(f"role IN ({_ROLES})", name="role"),)


class GroupInvitation(Table, table=True):
    """SHA-256 of a code that lets one account into a group.

    made_by, used_by: accounts' ids; used_by: empty until it is used.
    """

    id: str = Field(primary_key=True)
    hash: str = Field(unique=True)
    group_id: str = Field(foreign_key="account_group.id")
    role: str
    made_by: str
    created_at: int = _time_column()
    expires_at: int = _time_column()
    used_at: int | None = _time_column(default=None, nullable=True)
    used_by: str = ""
    revoked_at: int | None = _time_column(default=None, nullable=True)

    __tablename__ = "invitation"
    __table_args__ = (
        CheckConstraint("length(hash) = 64", name="hash_length"),
        CheckConstraint(f"role IN ({_ROLES})", name="role"),
        CheckConstraint("(used_at IS NULL) = (used_by = '')", name="used"),
        Index("ix_invitation_group", "group_id", "id"),
    )


class Team(Table, table=True):
    """A team: an account without tokens, for which its members act. name: the account's."""

    account_id: str = Field(primary_key=True, foreign_key="account.id")
    name: str = Field(unique=True)
    created_at: int = _time_column()
    dissolved_at: int | None = _time_column(default=None, nullable=True)

    __table_args__ = (Index("ix_team_standing", "name", sqlite_where=STANDS, postgresql_where=STANDS),)


class TeamMember(Table, table=True):
    """A stay of an account in a team; one that has ended is kept, since contests count it."""

    id: str = Field(primary_key=True)
    team_id: str = Field(foreign_key="team.account_id", index=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    role: str
    joined_at: int = _time_column()
    left_at: int | None = _time_column(default=None, nullable=True)

    __tablename__ = "team_member"
    __table_args__ = (
        CheckConstraint(f"role IN ({_TEAM_ROLES})", name="role"),
        Index(
            "uq_team_member_present",
            "account_id",
            unique=True,
            sqlite_where=STILL,
            postgresql_where=STILL,
        ),
    )


class TeamInvitation(Table, table=True):
    """An invitation into a team, for one account or for whoever has the code of this SHA-256.

    ended_at: when it was accepted, refused or revoked.
    """

    id: str = Field(primary_key=True)
    hash: str | None = Field(default=None, unique=True, nullable=True)
    team_id: str = Field(foreign_key="team.account_id", index=True)
    account_id: str | None = Field(default=None, foreign_key="account.id", index=True, nullable=True)
    made_by: str
    created_at: int = _time_column()
    expires_at: int = _time_column()
    ended_at: int | None = _time_column(default=None, nullable=True)

    __tablename__ = "team_invitation"
    __table_args__ = (CheckConstraint("(hash IS NULL) <> (account_id IS NULL)", name="kind"),)


class Bot(Table, table=True):
    """A named competitor. brought_by: the account that brought it into its team; "" if none did."""

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    created_at: int = _time_column()
    retired_at: int | None = _time_column(default=None, nullable=True)
    brought_by: str = Field(default="", sa_column_kwargs=EMPTY)

    __table_args__ = (
        CheckConstraint("length(name) BETWEEN 2 AND 40", name="name_length"),
        CheckConstraint("name = lower(name)", name="name_lower"),
    )


class Version(Table, table=True):
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
    created_at: int = _time_column()
    since: int = _time_column()
    lease_until: int | None = _time_column(default=None, nullable=True)
    turn: str = Field(default="", sa_column_kwargs=EMPTY)  # the key of the Turn in which it waits
    turn_cost: int = _time_column(
        default=0, sa_column_kwargs={"server_default": "0"}
    )  # ms that it may well take
    activates: bool = Field(default=False, sa_column_kwargs={"server_default": false()})  # by passing
    runtime: str = Field(default="", sa_column_kwargs={"server_default": ""})  # of its manifest
    plays_people: bool = Field(default=False, sa_column_kwargs={"server_default": false()})  # or its author

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
            "uq_version_active",
            "bot_id",
            unique=True,
            sqlite_where=text("state = 'active'"),
            postgresql_where=text("state = 'active'"),
        ),
        Index("ix_version_state_since", "state", "since"),
        Index("ix_version_turn", "turn", "since", "id", sqlite_where=WAITS, postgresql_where=WAITS),
        Index("ix_version_validated", "since", sqlite_where=VALIDATED, postgresql_where=VALIDATED),
    )


class Turn(Table, table=True):
    """A node of the tree by which validations take turns (domain/turn.py). used, due: as there.

    clock: the `used` that its children have reached; a child that returns after a rest begins there. cost,
    since: of its next version, 0 if none waits.
    """

    key: str = Field(primary_key=True, sa_type=AS_BYTES)
    parent: str = Field(sa_type=AS_BYTES)
    used: int = _time_column(default=0)
    clock: int = _time_column(default=0)
    cost: int = _time_column(default=0)
    since: int = _time_column(default=0)
    due: int = _time_column()

    __table_args__ = (
        Index("ix_turn_due", "parent", "due", "since", "key"),
        Index("ix_turn_waiting", "due"),
    )


class Platform(Table, table=True):
    """A platform of workers, empty if not stated, with the time of the last claim of a validation."""

    name: str = Field(primary_key=True)
    claimed_at: int = _time_column()


class Outbox(Table, table=True):
    """A message to send after the commit that wrote it."""

    id: int | None = Field(default=None, primary_key=True)
    task: str
    subject: str


class RegistryAction(ActionRow, Table, table=True):
    """Requests of admins and organisers to this service."""

    __tablename__ = "action"


class RegistryChange(ChangeRow, Table, table=True):
    """Changes of the last day and their answers, by request id."""

    __tablename__ = "change"


class RegistryBeat(BeatRow, Table, table=True):
    """The latest time that a replica has told."""

    __tablename__ = "beat"


class RegistryLeader(LeaderRow, Table, table=True):
    """The leader's lease: the replica that runs the tasks of one."""

    __tablename__ = "leader"


class Webhook(Table, table=True):
    """An address of an account that is told of events. kinds: space-separated. secret: its events' key.

    url: also of mail or of a chat. shown: that address without its secrets, if it has some. language: of
    messages. confirm_until: set while a mail address waits to be confirmed; its link ends then.

    attempts: failed ones of its first waiting delivery. next_at: time of the next attempt; 0: nothing waits,
    or it is disabled. failing_since, disabled_at: 0 if it does not fail, or is not disabled. problem: why.
    """

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id")
    url: str
    kinds: str
    secret: str
    created_at: int = _time_column()
    attempts: int = 0
    next_at: int = _time_column(default=0)
    failing_since: int = _time_column(default=0)
    disabled_at: int = _time_column(default=0)
    problem: str = ""
    shown: str = Field(default="", sa_column_kwargs=EMPTY)
    language: str = Field(default="", sa_column_kwargs=EMPTY)
    confirm_until: int = _time_column(default=0, sa_column_kwargs={"server_default": "0"})

    __table_args__ = (
        UniqueConstraint("account_id", "url", name="uq_webhook_account_id_url"),
        Index("ix_webhook_due", "next_at", sqlite_where=DUE, postgresql_where=DUE),
    )


class FollowedContest(Table, table=True):
    """The name of a contest that a webhook follows beside those of its account."""

    contest: str = Field(primary_key=True)
    webhook_id: str = Field(primary_key=True, foreign_key="webhook.id", index=True)

    __tablename__ = "followed_contest"


class Login(Table, table=True):
    """A person at an OpenID Connect provider, and the account that is theirs.

    token_id: a token that nobody has and that makes the tokens of their sessions; with it they all end.
    """

    issuer: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    token_id: str
    linked_at: int = _time_column()


class Notice(NoticeRow, Table, table=True):
    """An event of any service that webhooks are told of. contest: its name, if everybody may know of it.

    told_at: when it was made a delivery for every webhook concerned; 0: not yet.
    """

    told_at: int = _time_column(default=0)

    __tablename__ = "event"
    __table_args__ = (
        Index("ix_event_untold", "number", sqlite_where=UNTOLD, postgresql_where=UNTOLD),
        Index("ix_event_told_at", "told_at"),
        Index("ix_event_confirms", "accounts", "at", sqlite_where=CONFIRMS, postgresql_where=CONFIRMS),
    )


class Delivery(Table, table=True):
    """A notice for a webhook; they are delivered in the order of their numbers."""

    number: int | None = Field(default=None, primary_key=True)
    webhook_id: str = Field(foreign_key="webhook.id")
    notice_id: str = Field(foreign_key="event.id", index=True)
    created_at: int = _time_column(index=True)
    attempts: int = 0
    status: int = 0  # of the last answer
    delivered_at: int = _time_column(default=0)

    __table_args__ = (
        UniqueConstraint("webhook_id", "notice_id", name="uq_delivery_webhook_id_notice_id"),
        Index("ix_delivery_newest", "webhook_id", "number"),
        Index(
            "ix_delivery_waiting",
            "webhook_id",
            "number",
            sqlite_where=UNDELIVERED,
            postgresql_where=UNDELIVERED,
        ),
    )


class Trial(Table, table=True):
    """A validation of a version in variants that were made for one contest, besides its own one.

    key: what it is for. terms: JSON of what is played (domain/trial.py). `fence` grows with every claim;
    `since` is the start of the state; lease_until: 0 unless a worker has it.
    """

    id: str = Field(primary_key=True)
    version_id: str = Field(foreign_key="version.id")
    key: str
    terms: str = Field(sa_type=Text)
    state: str = "waiting"
    reason: str = Field(default="", sa_column_kwargs=EMPTY)
    log: str = Field(default="", sa_type=Text, sa_column_kwargs=EMPTY)
    worker: str = Field(default="", sa_column_kwargs=EMPTY)
    fence: int = _time_column(default=0, sa_column_kwargs={"server_default": "0"})
    attempts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    since: int = _time_column()
    lease_until: int = _time_column(default=0, sa_column_kwargs={"server_default": "0"})

    __table_args__ = (
        UniqueConstraint("version_id", "key", name="uq_trial_version_id_key"),
        CheckConstraint(f"state IN ({', '.join(map(repr, TRIAL_STATES))})", name="state"),
        Index("ix_trial_open", "since", sqlite_where=TRIAL_OPEN, postgresql_where=TRIAL_OPEN),
    )
