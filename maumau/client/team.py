"""The RPCs about teams for `maumau.client.Arena`, and searches for the owners of bots."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from maumau.client import answer, call
from maumau.client.link import PAGE, Link
from maumau.v1 import registry_pb2 as r
from maumau.v1 import team_pb2 as t


class TeamCalls:
    """Calls about teams, over the links that `Arena` makes. team: for admins; others have one at most."""

    _teams: Link
    _registry: Link

    def create_team(self, name: str) -> answer.Team:
        """Found a team; one's own bots become the team's."""
        found = self._teams.call("CreateTeam", t.CreateTeamRequest(name=name))
        return call.to_struct(answer.Team, found.team)

    def team(self, name: str = "") -> answer.GetTeamResponse:
        """Return a team with its members; without a name one's own."""
        return call.to_struct(
            answer.GetTeamResponse, self._teams.call("GetTeam", t.GetTeamRequest(name=name))
        )

    def list_teams(self, contains: str = "", most: int = 0) -> tuple[answer.Team, ...]:
        """Return the teams whose names contain this, by name; most: 0 for all."""
        request = t.ListTeamsRequest(contains=contains)
        pages = self._teams.pages("ListTeams", request, min(most or PAGE, PAGE))
        found = (call.to_struct(answer.Team, one) for page in pages for one in page.teams)
        return tuple(islice(found, most or None))

    def invite_to_team(
        self, account: str = "", hours: int = 0, team: str = ""
    ) -> answer.InviteToTeamResponse:
        """Invite an account; without one, make a code that one account can use."""
        request = t.InviteToTeamRequest(account_name=account, hours=hours, team_name=team)
        return call.to_struct(answer.InviteToTeamResponse, self._teams.call("InviteToTeam", request))

    def list_team_invitations(self) -> tuple[answer.TeamInvitation, ...]:
        """Return the open invitations to oneself, and those of one's own team."""
        found = self._teams.call("ListTeamInvitations", t.ListTeamInvitationsRequest())
        return tuple(call.to_struct(answer.TeamInvitation, one) for one in found.invitations)

    def end_team_invitation(self, invitation: str) -> None:
        """Refuse an invitation to oneself, or revoke one of one's own team."""
        self._teams.call("EndTeamInvitation", t.EndTeamInvitationRequest(id=invitation))

    def join_team(self, code: str = "", invitation: str = "") -> answer.JoinTeamResponse:
        """Accept an invitation, by its code or its id; one's own bots become the team's."""
        request = t.JoinTeamRequest(code=code, invitation_id=invitation)
        return call.to_struct(answer.JoinTeamResponse, self._teams.call("JoinTeam", request))

    def set_team_role(self, account: str, role: str, team: str = "") -> answer.TeamMember:
        """Give a member another role: member or owner."""
        request = t.SetTeamRoleRequest(account_name=account, role=f"TEAM_ROLE_{role.upper()}", team_name=team)
        return call.to_struct(answer.TeamMember, self._teams.call("SetTeamRole", request).member)

    def leave_team(self, account: str = "", team: str = "") -> int:
        """Leave one's team, or remove a member; return how many bots went along."""
        request = t.LeaveTeamRequest(account_name=account, team_name=team)
        return int(self._teams.call("LeaveTeam", request).returned_bots)

    def dissolve_team(self, team: str = "") -> None:
        """Dissolve one's own team."""
        self._teams.call("DissolveTeam", t.DissolveTeamRequest(team_name=team))

    # --- searches ---

    def authors(self, contains: str = "", name: str = "", most: int = 0) -> Iterator[answer.Author]:
        """Yield accounts and teams with bots, by name, page by page; most: 0 for all."""
        request = r.ListAuthorsRequest(contains=contains, name=name)
        pages = self._registry.pages("ListAuthors", request, min(most or PAGE, PAGE))
        found = (call.to_struct(answer.Author, one) for page in pages for one in page.authors)
        return islice(found, most or None)

    def find_bots(self, contains: str = "", owner: str = "", most: int = 0) -> Iterator[answer.Bot]:
        """Yield bots by name, page by page: of an owner, or whose names contain this; most: 0 for all."""
        request = r.ListBotsRequest(account_name=owner, contains=contains)
        pages = self._registry.pages("ListBots", request, min(most or PAGE, PAGE))
        found = (call.to_struct(answer.Bot, one) for page in pages for one in page.bots)
        return islice(found, most or None)
