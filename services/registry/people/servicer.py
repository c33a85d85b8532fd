"""Handlers of the calls about people: new accounts, whose a token is, groups and invitations."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final

from maumau.errors import BadRequest, ExpiredInvitation, TooManyCalls, UnknownInvitation
from maumau.v1 import registry_pb2 as pb
from services.registry.domain.role import MEMBER, ORGANISER
from services.registry.people import wire
from services.registry.store import Accounts, Authors, Deletions, Groups, Invitations, Teams
from services.shared.base import page
from services.shared.base.address import caller_address
from services.shared.base.auth import Need, caller, identity
from services.shared.base.rate import Rates
from services.shared.rpc.timestamp import to_timestamp

TRIES_A_SECOND, TRIES = 0.2, 20
"""Codes from one address that nobody can use: per second on average, and at once after a rest."""
ROLES: Final = {
    pb.GROUP_ROLE_UNSPECIFIED: MEMBER,
    pb.GROUP_ROLE_MEMBER: MEMBER,
    pb.GROUP_ROLE_ORGANISER: ORGANISER,
}


@dataclass(kw_only=True)
class PeopleServicer:
    """The part of the registry that knows people. The page counts wrong codes of its own visitors itself."""

    accounts: Accounts
    groups: Groups
    invitations: Invitations
    teams: Teams
    authors: Authors
    deletions: Deletions
    page_url: str
    tries: Rates = field(default_factory=lambda: Rates(TRIES_A_SECOND, TRIES))

    async def CreateAccount(self, request: pb.CreateAccountRequest, context: Any) -> pb.CreateAccountResponse:
        if request.code:
            created = self.accounts.create_invited, request.name, request.code
            grant, group = await self.use_code(*created)
        else:
            asked = request.name, caller(), caller_address()
            grant, group = await asyncio.to_thread(self.accounts.create_account, *asked), ""
        return pb.CreateAccountResponse(
            account_id=grant.account_id,
            token=grant.token,
            expires_at=to_timestamp(grant.expires_at),
            group_name=group,
        )

    async def DeleteAccount(self, request: pb.DeleteAccountRequest, context: Any) -> pb.DeleteAccountResponse:
        deleted = await asyncio.to_thread(self.deletions.delete_account, identity(), request.name)
        return pb.DeleteAccountResponse(pseudonym=deleted.pseudonym, bots=deleted.bots)

    async def use_code(self, use: Any, *asked: Any) -> Any:
        """Return the outcome of using a code; raise TooManyCalls after too many that could not be used.

        They are counted by account, which at the page is all that tells callers apart, else by address.
        """
        who = caller()
        source = who.account_id if who else caller_address().block
        is_counted = not (who and who.may(Need.PAGE))
        if is_counted and not self.tries.take(source):
            raise TooManyCalls("Too many wrong codes came from your address; wait a minute and try again.")
        is_wrong = False
        try:
            return await asyncio.to_thread(use, *asked)
        except UnknownInvitation as error:
            is_wrong = not isinstance(error, ExpiredInvitation)  # which nobody guesses
            raise
        finally:
            if is_counted and not is_wrong:
                self.tries.give_back(source)

    async def WhoAmI(self, request: pb.WhoAmIRequest, context: Any) -> pb.WhoAmIResponse:
        who = identity()
        roles = await asyncio.to_thread(self.groups.list_roles, who.account_id)
        team_name = await asyncio.to_thread(self.teams.find_name, who.account_id)
        answer = pb.WhoAmIResponse(
            account_id=who.account_id,
            account_name=who.name,
            scopes=sorted(who.scopes),
            host=who.host,
            groups=[wire.build_membership(*one) for one in sorted(roles.items())],
            team_name=team_name,
        )
        if who.expires_at is not None:
            answer.expires_at.CopyFrom(to_timestamp(who.expires_at))
        return answer

    async def CreateInvitations(
        self, request: pb.CreateInvitationsRequest, context: Any
    ) -> pb.CreateInvitationsResponse:
        role = _read_role(request.role)
        asked = identity(), request.group_name, request.count, request.hours, role
        made = await asyncio.to_thread(self.invitations.create_invitations, *asked)
        return pb.CreateInvitationsResponse(
            invitations=[pb.NewInvitation(id=one, code=code) for one, code in made.codes.items()],
            expires_at=to_timestamp(made.expires_at),
            new_group=made.is_new_group,
            page=self.page_url,
        )

    async def ListInvitations(
        self, request: pb.ListInvitationsRequest, context: Any
    ) -> pb.ListInvitationsResponse:
        size = page.count_entries(request.page_size)
        after = page.check_ident(request.page_token, "invitation")
        asked = identity(), request.group_name, after, size + 1
        found = await asyncio.to_thread(self.invitations.list_invitations, *asked)
        now = self.invitations.clock()
        listed = page.fill(
            found, size, lambda one: wire.build_invitation(one, now), lambda one: one.invitation.id
        )
        return pb.ListInvitationsResponse(invitations=listed.messages, next_page_token=listed.next_token)

    async def RevokeInvitations(
        self, request: pb.RevokeInvitationsRequest, context: Any
    ) -> pb.RevokeInvitationsResponse:
        asked = identity(), list(request.ids), request.group_name
        revoked = await asyncio.to_thread(self.invitations.revoke_invitations, *asked)
        return pb.RevokeInvitationsResponse(revoked=revoked)

    async def ListAuthors(self, request: pb.ListAuthorsRequest, context: Any) -> pb.ListAuthorsResponse:
        size = page.count_entries(request.page_size)
        asked = request.contains, request.name, request.page_token, size + 1
        found = await asyncio.to_thread(self.authors.list_authors, *asked)
        authors, token = page.fill(found, size, lambda one: pb.Author(**one._asdict()), lambda one: one.name)
        return pb.ListAuthorsResponse(authors=authors, next_page_token=token)

    async def JoinGroup(self, request: pb.JoinGroupRequest, context: Any) -> pb.JoinGroupResponse:
        joined = await self.use_code(self.invitations.join_group, identity(), request.code)
        return pb.JoinGroupResponse(group=wire.build_group(joined))

    async def ListGroups(self, request: pb.ListGroupsRequest, context: Any) -> pb.ListGroupsResponse:
        size = page.count_entries(request.page_size)
        asked = identity(), request.name, request.page_token, size + 1
        found = await asyncio.to_thread(self.groups.list_groups, *asked)
        groups, token = page.fill(found, size, wire.build_group, lambda one: one.group.name)
        return pb.ListGroupsResponse(groups=groups, next_page_token=token)

    async def ListMembers(self, request: pb.ListMembersRequest, context: Any) -> pb.ListMembersResponse:
        size = page.count_entries(request.page_size)
        asked = identity(), request.group_name, request.page_token, size + 1
        found = await asyncio.to_thread(self.groups.list_members, *asked)
        members, token = page.fill(found, size, wire.build_member, lambda one: one.name)
        return pb.ListMembersResponse(members=members, next_page_token=token)

    async def SetMember(self, request: pb.SetMemberRequest, context: Any) -> pb.SetMemberResponse:
        role = _read_role(request.role)
        asked = identity(), request.group_name, request.account_name, role
        changed = await asyncio.to_thread(self.groups.set_member, *asked)
        return pb.SetMemberResponse(member=wire.build_member(changed))

    async def RemoveMember(self, request: pb.RemoveMemberRequest, context: Any) -> pb.RemoveMemberResponse:
        asked = identity(), request.group_name, request.account_name
        await asyncio.to_thread(self.groups.remove_member, *asked)
        return pb.RemoveMemberResponse()


def _read_role(given: int) -> str:
    if given not in ROLES:
        raise BadRequest(f"{given} is not a role in a group.", field="role")
    return ROLES[given]  # type: ignore[index]
