"""Teams, their members and invitations as messages."""

from maumau.v1 import registry_pb2, team_pb2
from services.registry.store.people.owner import OwnerInfo, RelatedOwner
from services.registry.store.people.team import ListedTeam, ListedTeamMember
from services.registry.store.people.team_invitation import ListedTeamInvitation
from services.shared.rpc.timestamp import to_timestamp


def team(listed: ListedTeam) -> team_pb2.Team:
    row = listed.team
    return team_pb2.Team(
        name=row.name, members=listed.members, bots=listed.bots, created_at=to_timestamp(row.created_at)
    )


def member(listed: ListedTeamMember) -> team_pb2.TeamMember:
    row = listed.stay
    role = f"TEAM_ROLE_{row.role.upper()}"
    return team_pb2.TeamMember(account_name=listed.name, role=role, joined_at=to_timestamp(row.joined_at))


def invitation(listed: ListedTeamInvitation) -> team_pb2.TeamInvitation:
    row = listed.invitation
    return team_pb2.TeamInvitation(
        id=row.id,
        team_name=listed.team_name,
        account_name=listed.account_name,
        created_at=to_timestamp(row.created_at),
        expires_at=to_timestamp(row.expires_at),
    )


def describe(owner: OwnerInfo) -> registry_pb2.VersionOwner:
    """Return the message about an owner for the arena's services."""
    return registry_pb2.VersionOwner(
        name=owner.name,
        team=owner.is_team,
        members=owner.members,
        groups=owner.groups,
        related=map(_related, owner.related),
        party=owner.party,
    )


def _related(one: RelatedOwner) -> registry_pb2.RelatedOwner:
    until = None if one.until is None else to_timestamp(one.until)
    return registry_pb2.RelatedOwner(name=one.name, until=until)
