"""The registry's RPCs about groups for `maumau.client.Arena`: members, and invitations into them."""

from __future__ import annotations

from maumau.client import answer, call
from maumau.client.link import Link
from maumau.v1 import registry_pb2 as r


class GroupCalls:
    """Calls about groups, over the link that `Arena` makes. role: member or organiser."""

    _registry: Link

    def create_invitations(
        self, group: str, count: int, hours: int = 0, role: str = "member"
    ) -> answer.CreateInvitationsResponse:
        """Make codes that let one account each into a group; hours: how long they last, 0 for two weeks."""
        request = r.CreateInvitationsRequest(group_name=group, count=count, hours=hours, role=_role(role))
        found = self._registry.call("CreateInvitations", request)
        return call.to_struct(answer.CreateInvitationsResponse, found)

    def list_invitations(self, group: str) -> tuple[answer.GroupInvitation, ...]:
        """Return all invitations into a group, the oldest first."""
        pages = self._registry.pages("ListInvitations", r.ListInvitationsRequest(group_name=group))
        return tuple(
            call.to_struct(answer.GroupInvitation, one) for page in pages for one in page.invitations
        )

    def revoke_invitations(self, *ids: str, group: str = "") -> int:
        """Revoke open invitations by their ids, or all of a group; return how many ended."""
        request = r.RevokeInvitationsRequest(ids=ids, group_name=group)
        return int(self._registry.call("RevokeInvitations", request).revoked)

    def join_group(self, code: str) -> answer.AccountGroup:
        """Join the group of a code with one's own account."""
        found = self._registry.call("JoinGroup", r.JoinGroupRequest(code=code))
        return call.to_struct(answer.AccountGroup, found.group)

    def list_groups(self, name: str = "") -> tuple[answer.AccountGroup, ...]:
        """Return one's own groups, for an admin all of them; only the one of a name if it is given."""
        pages = self._registry.pages("ListGroups", r.ListGroupsRequest(name=name))
        return tuple(call.to_struct(answer.AccountGroup, one) for page in pages for one in page.groups)

    def list_members(self, group: str) -> tuple[answer.GroupMember, ...]:
        """Return the members of a group, by name."""
        pages = self._registry.pages("ListMembers", r.ListMembersRequest(group_name=group))
        return tuple(call.to_struct(answer.GroupMember, one) for page in pages for one in page.members)

    def set_member(self, group: str, account: str, role: str = "member") -> answer.GroupMember:
        """Put an account into a group, or give a member another role."""
        request = r.SetMemberRequest(group_name=group, account_name=account, role=_role(role))
        return call.to_struct(answer.GroupMember, self._registry.call("SetMember", request).member)

    def remove_member(self, group: str, account: str = "") -> None:
        """Remove a member from a group; without an account, leave it."""
        self._registry.call("RemoveMember", r.RemoveMemberRequest(group_name=group, account_name=account))


def _role(name: str) -> str:
    return f"GROUP_ROLE_{name.upper()}"
