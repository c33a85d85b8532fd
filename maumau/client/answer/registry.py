"""Answers of the registry: bots, versions, accounts and tokens, and actions of organisers and admins."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from maumau.client.answer.group import Membership


class Version(Struct, frozen=True):
    """A program of a bot.

    state: uploaded, validating, valid, refused, active, retired, stalled, suspended. activates: it waits for
    its validation, and becomes active by passing. runtime: that of its bot.toml, "" if it is not known.
    plays_people: everybody may have it at a live table.
    """

    id: str
    bot_id: str
    bot_name: str
    account_name: str
    number: int
    sha256: str
    state: str
    reason: str
    rules: tuple[str, ...]
    seats: tuple[int, ...]
    created_at: datetime | None
    progress: str
    built_sha256: str
    built_platform: str
    queue_place: int = 0
    queue_seconds: float = 0.0
    activates: bool = False
    runtime: str = ""
    plays_people: bool = False

    @property
    def settled(self) -> bool:
        """True if validation is over, with either result."""
        return self.state not in {"uploaded", "validating", "suspended"}


class Bot(Struct, frozen=True):
    """A named competitor, its versions newest first."""

    id: str
    name: str
    account_name: str
    versions: tuple[Version, ...]


class CreateAccountResponse(Struct, frozen=True):
    """A new account with its first token. group_name: of the invitation that made it, ""."""

    account_id: str
    token: str
    expires_at: datetime | None
    group_name: str = ""


class DeleteAccountResponse(Struct, frozen=True):
    """A deleted account: the pseudonym of its results, and how many bots were retired with it."""

    pseudonym: str
    bots: int = 0


class CreateTokenResponse(Struct, frozen=True):
    """A further token."""

    token: str
    expires_at: datetime | None


class RotateTokenResponse(Struct, frozen=True):
    """The token that replaces the caller's."""

    token: str
    expires_at: datetime | None


class CreatePageCodeResponse(Struct, frozen=True):
    """A one-time code to log in to the page; page: its address, or ""."""

    code: str
    expires_at: datetime | None
    page: str


class RedeemPageCodeResponse(Struct, frozen=True):
    """The token of a session on the page."""

    token: str
    expires_at: datetime | None
    account_name: str


class Account(Struct, frozen=True):
    """An account as admins list it; scopes, tokens: of its tokens that are valid.

    used_at: when one of its tokens was last used, as in `Token`.
    """

    name: str
    scopes: tuple[str, ...]
    tokens: int
    bots: int
    created_at: datetime | None
    used_at: datetime | None = None


class Token(Struct, frozen=True):
    """A token in a list; the secret itself is shown only when it is made.

    used_at: when it was last used, up to an hour too early, as it is written at most once an hour; None: not
    since this has been recorded.
    """

    id: str
    label: str
    account_name: str
    scopes: tuple[str, ...]
    created_at: datetime | None
    expires_at: datetime | None
    parent_id: str
    current: bool
    used_at: datetime | None = None


class ServerLimits(Struct, frozen=True):
    """Limits of a submission and an account; versions_a_day: 0 if there is no such quota."""

    upload_bytes: int
    unpacked_bytes: int
    members: int
    bots: int
    waiting_versions: int
    stored_mib: int
    validation_minutes: int
    versions_a_day: int = 0


class VariantInfo(Struct, frozen=True):
    """A variant that an arena knows; rules_hash: with the default options."""

    name: str
    rules_hash: str
    fewest_seats: int
    most_seats: int


class GetServerInfoResponse(Struct, frozen=True):
    """Properties of an arena. open: anybody may open an account; takes_strangers: anybody's programs play."""

    version: str
    open: bool
    takes_strangers: bool
    runtimes: tuple[str, ...]
    limits: ServerLimits | None
    variants: tuple[VariantInfo, ...]
    registration: str = ""
    """The way accounts are opened: open, code or closed; empty if an earlier release answers."""
    arena: str = ""
    """The address of all services as `--arena` takes it; empty if the arena does not tell it."""
    page: str = ""
    """The address of the page; empty if the arena does not tell it."""


class WhoAmIResponse(Struct, frozen=True):
    """The owner of a token; host: of a token for one host's workers, the prefix of their names."""

    account_id: str
    account_name: str
    scopes: tuple[str, ...]
    expires_at: datetime | None
    host: str = ""
    groups: tuple[Membership, ...] = ()
    team_name: str = ""

    @property
    def owner(self) -> str:
        """The owner of what the account makes: its team, or itself without one."""
        return self.team_name or self.account_name


class SubmitVersionResponse(Struct, frozen=True):
    """The result of an upload."""

    version: Version
    known: bool


class Action(Struct, frozen=True):
    """An admin's request to a service; outcome: OK, or the status with which it was refused."""

    id: str
    at: datetime | None
    service: str
    method: str
    account_name: str
    asked: str
    outcome: str
    request_id: str
