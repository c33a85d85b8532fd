"""Answers of the registry about groups: their members, and invitations into them."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class AccountGroup(Struct, frozen=True):
    """A group of accounts. role: the caller's, `unspecified` if the caller is not in it."""

    name: str
    role: str
    members: int
    created_at: datetime | None


class GroupMember(Struct, frozen=True):
    """An account in a group. role: member or organiser."""

    account_name: str
    role: str
    joined_at: datetime | None


class Membership(Struct, frozen=True):
    """A group of the caller."""

    group_name: str
    role: str


class GroupInvitation(Struct, frozen=True):
    """An invitation without its code; state: open, used, expired or revoked; account_name: who used it."""

    id: str
    group_name: str
    role: str
    state: str
    account_name: str
    created_at: datetime | None
    expires_at: datetime | None


class NewInvitation(Struct, frozen=True):
    """An invitation just made, with its code."""

    id: str
    code: str


class CreateInvitationsResponse(Struct, frozen=True):
    """Invitations just made. new_group: their group was made with them; page: the page's address, or ""."""

    invitations: tuple[NewInvitation, ...]
    expires_at: datetime | None
    new_group: bool
    page: str
