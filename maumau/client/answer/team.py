"""Answers of the registry about teams and other owners of bots."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Team(Struct, frozen=True):
    """Accounts that own bots together."""

    name: str
    members: int
    bots: int
    created_at: datetime | None


class TeamMember(Struct, frozen=True):
    """An account in a team. role: member or owner."""

    account_name: str
    role: str
    joined_at: datetime | None


class GetTeamResponse(Struct, frozen=True):
    """A team with its members, by name."""

    team: Team
    members: tuple[TeamMember, ...]


class TeamInvitation(Struct, frozen=True):
    """An open invitation. account_name: whom it invites; empty if it has a code."""

    id: str
    team_name: str
    account_name: str
    created_at: datetime | None
    expires_at: datetime | None


class InviteToTeamResponse(Struct, frozen=True):
    """An invitation just made. code: empty if an account was named."""

    invitation: TeamInvitation
    code: str


class JoinTeamResponse(Struct, frozen=True):
    """The team that was joined. brought_bots: the number of bots that became the team's."""

    team: Team
    brought_bots: int


class Author(Struct, frozen=True):
    """An account or team that owns bots."""

    name: str
    team: bool
    bots: int
