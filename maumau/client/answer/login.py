"""Answers about logins at an OpenID Connect provider."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Login(Struct, frozen=True):
    """A person at a provider, to whom an account belongs."""

    issuer: str
    subject: str
    linked_at: datetime | None


class CreateLoginAccountResponse(Struct, frozen=True):
    """The token of a new account, and the group that it is in."""

    token: str
    expires_at: datetime | None
    group_name: str
