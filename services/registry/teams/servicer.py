"""Handlers of TeamService: message to stores and back."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

from asyncio import to_thread
from dataclasses import dataclass
from typing import Any, Final

from maumau.errors import BadRequest
from maumau.v1 import team_pb2 as pb
from maumau.v1 import team_pb2_grpc
from services.registry.domain.role import MEMBER, OWNER
from services.registry.people.servicer import PeopleServicer
from services.registry.store import TeamInvitations, Teams
from services.registry.teams import wire
from services.shared.base import page
from services.shared.base.auth import Need, identity

SERVICE = pb.DESCRIPTOR.services_by_name["TeamService"]
NEEDS = {
    "CreateTeam": Need.AUTHOR,
    "GetTeam": Need.ANY,
    "ListTeams": Need.ANY,
    "InviteToTeam": Need.AUTHOR,
    "ListTeamInvitations": Need.AUTHOR,
    "EndTeamInvitation": Need.AUTHOR,
    "JoinTeam": Need.AUTHOR,
    "SetTeamRole": Need.AUTHOR,
    "LeaveTeam": Need.AUTHOR,
    "DissolveTeam": Need.AUTHOR,
}
ROLES: Final = {
    pb.TEAM_ROLE_UNSPECIFIED: MEMBER,
    pb.TEAM_ROLE_MEMBER: MEMBER,
    pb.TEAM_ROLE_OWNER: OWNER,
}


@dataclass(kw_only=True)
class TeamServicer(team_pb2_grpc.TeamServiceServicer):
    """Teams of accounts. people: counts wrong codes, of teams and of groups together."""

    people: PeopleServicer
    invitations: TeamInvitations

    @property
    def teams(self) -> Teams:
        """The teams that the invitations lead into."""
        return self.invitations.teams

    async def CreateTeam(self, request: pb.CreateTeamRequest, context: Any) -> pb.CreateTeamResponse:
        made = await to_thread(self.teams.create, identity(), request.name)
        return pb.CreateTeamResponse(team=wire.team(made))

    async def GetTeam(self, request: pb.GetTeamRequest, context: Any) -> pb.GetTeamResponse:
        team, members = await to_thread(self.teams.find, identity(), request.name)
        return pb.GetTeamResponse(team=wire.team(team), members=map(wire.member, members))

    async def ListTeams(self, request: pb.ListTeamsRequest, context: Any) -> pb.ListTeamsResponse:
        size = page.count_entries(request.page_size)
        asked = request.contains, request.page_token, size + 1
        found = await to_thread(self.teams.list_teams, *asked)
        teams, token = page.fill(found, size, wire.team, lambda one: one.team.name)
        return pb.ListTeamsResponse(teams=teams, next_page_token=token)

    async def InviteToTeam(self, request: pb.InviteToTeamRequest, context: Any) -> pb.InviteToTeamResponse:
        asked = identity(), request.team_name, request.account_name, request.hours
        made, code = await to_thread(self.invitations.invite, *asked)
        return pb.InviteToTeamResponse(invitation=wire.invitation(made), code=code)

    async def ListTeamInvitations(
        self, request: pb.ListTeamInvitationsRequest, context: Any
    ) -> pb.ListTeamInvitationsResponse:
        found = await to_thread(self.invitations.list_open, identity())
        return pb.ListTeamInvitationsResponse(invitations=map(wire.invitation, found))

    async def EndTeamInvitation(
        self, request: pb.EndTeamInvitationRequest, context: Any
    ) -> pb.EndTeamInvitationResponse:
        await to_thread(self.invitations.end, identity(), request.id)
        return pb.EndTeamInvitationResponse()

    async def JoinTeam(self, request: pb.JoinTeamRequest, context: Any) -> pb.JoinTeamResponse:
        asked = identity(), request.code, request.invitation_id
        joined = await self.people.use_code(self.invitations.join, *asked)
        return pb.JoinTeamResponse(team=wire.team(joined.team), brought_bots=joined.brought)

    async def SetTeamRole(self, request: pb.SetTeamRoleRequest, context: Any) -> pb.SetTeamRoleResponse:
        if request.role not in ROLES:
            raise BadRequest(f"{request.role} is not a role in a team.", field="role")
        asked = identity(), request.team_name, request.account_name, ROLES[request.role]
        changed = await to_thread(self.teams.set_role, *asked)
        return pb.SetTeamRoleResponse(member=wire.member(changed))

    async def LeaveTeam(self, request: pb.LeaveTeamRequest, context: Any) -> pb.LeaveTeamResponse:
        asked = identity(), request.team_name, request.account_name
        return pb.LeaveTeamResponse(returned_bots=await to_thread(self.teams.leave, *asked))

    async def DissolveTeam(self, request: pb.DissolveTeamRequest, context: Any) -> pb.DissolveTeamResponse:
        await to_thread(self.teams.dissolve, identity(), request.team_name)
        return pb.DissolveTeamResponse()
