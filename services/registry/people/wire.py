"""Groups, members and invitations as messages."""

from maumau.v1 import registry_pb2 as pb
from services.registry.store import ListedGroup, ListedInvitation, ListedMember
from services.registry.store.people.invitation import find_state
from services.shared.rpc.timestamp import to_timestamp


def build_group(listed: ListedGroup) -> pb.AccountGroup:
    row = listed.group
    role = _read_role(listed.role) if listed.role else pb.GROUP_ROLE_UNSPECIFIED
    return pb.AccountGroup(
        name=row.name, role=role, members=listed.members, created_at=to_timestamp(row.created_at)
    )


def build_member(listed: ListedMember) -> pb.GroupMember:
    row = listed.membership
    return pb.GroupMember(
        account_name=listed.name, role=_read_role(row.role), joined_at=to_timestamp(row.joined_at)
    )


def build_membership(group_name: str, role: str) -> pb.Membership:
    return pb.Membership(group_name=group_name, role=_read_role(role))


def build_invitation(listed: ListedInvitation, now: int) -> pb.GroupInvitation:
    row = listed.invitation
    return pb.GroupInvitation(
        id=row.id,
        group_name=listed.group_name,
        role=_read_role(row.role),
        state=f"INVITATION_STATE_{find_state(row, now).upper()}",
        account_name=listed.account_name,
        created_at=to_timestamp(row.created_at),
        expires_at=to_timestamp(row.expires_at),
    )


def _read_role(role: str) -> str:
    return f"GROUP_ROLE_{role.upper()}"
