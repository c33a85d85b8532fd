"""What the registry answers: bots, versions, accounts and tokens, and what was done as organiser or admin."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Version(Struct, frozen=True):
    """A program of a bot.

    state: uploaded, validating, valid, refused, active, retired, stalled, suspended.
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

    @property
    def settled(self) -> bool:
        """Whether validation is over, one way or the other."""
        return self.state not in {"uploaded", "validating", "suspended"}


class Bot(Struct, frozen=True):
    """A named competitor, its versions newest first."""

    id: str
    name: str
    account_name: str
    versions: tuple[Version, ...]


class CreateAccountResponse(Struct, frozen=True):
    """A new account with its first token."""

    account_id: str
    token: str
    expires_at: datetime | None


class CreateTokenResponse(Struct, frozen=True):
    """A further token."""

    token: str
    expires_at: datetime | None


class RotateTokenResponse(Struct, frozen=True):
    """The token in place of the one that asked."""

    token: str
    expires_at: datetime | None


class CreatePageCodeResponse(Struct, frozen=True):
    """A code to log in to the page with, once; page: its address, or ""."""

    code: str
    expires_at: datetime | None
    page: str


class RedeemPageCodeResponse(Struct, frozen=True):
    """The token of a session on the page."""

    token: str
    expires_at: datetime | None
    account_name: str


class Token(Struct, frozen=True):
    """A token as it is listed; it is shown itself only when it is made.

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
    """What a submission and an account may have at most; versions_a_day: 0 if there is no such quota."""

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
    """What an arena is. open: anybody may open an account; takes_strangers: anybody's programs play."""

    version: str
    open: bool
    takes_strangers: bool
    runtimes: tuple[str, ...]
    limits: ServerLimits | None
    variants: tuple[VariantInfo, ...]


class WhoAmIResponse(Struct, frozen=True):
    """Who a token belongs to; host: of a token for the workers of one host, with which their names begin."""

    account_id: str
    account_name: str
    scopes: tuple[str, ...]
    expires_at: datetime | None
    host: str = ""


class SubmitVersionResponse(Struct, frozen=True):
    """What an upload became."""

    version: Version
    known: bool


class Action(Struct, frozen=True):
    """What an admin asked of a service; outcome: OK, or the status with which it was refused."""

    id: str
    at: datetime | None
    service: str
    method: str
    account_name: str
    asked: str
    outcome: str
    request_id: str
