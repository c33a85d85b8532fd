"""Invitations: codes that let one account each into a group, stored as hashes."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import func
from sqlmodel import Session, col, select, update

from maumau.errors import BadRequest, ExpiredInvitation, QuotaReached, RegistrationClosed, UnknownInvitation
from services.registry.domain.token import code_hash, new_invitation_code
from services.registry.models import Account, AccountGroup, GroupInvitation
from services.registry.store.people.group import (
    ListedGroup,
    add_member,
    count_members,
    find_role,
    lead_group,
    lock_group,
)
from services.registry.store.people.owner import lock_caller
from services.shared.base.auth import Identity, Need
from services.shared.base.clock import HOUR, Clock
from services.shared.base.ident import new_id
from services.shared.store.connect import Database

MOST_CODES = 1000  # of a call, and of a group's open invitations
USUAL_HOURS, MOST_HOURS = 14 * 24, 365 * 24


class NewInvitations(NamedTuple):
    """Invitations just made: the code by each id, their end, and whether their group is new."""

    codes: dict[str, str]
    expires_at: int
    is_new_group: bool


class ListedInvitation(NamedTuple):
    """An invitation with the name of its group, and of the account that used it, or ""."""

    invitation: GroupInvitation
    group_name: str
    account_name: str


class Invitations:
    """Invitations in the database. signup: as the setting of that name."""

    def __init__(self, database: Database, clock: Clock, signup: str) -> None:
        self.database, self.clock, self.signup = database, clock, signup

    def create_invitations(
        self, who: Identity, name: str, count: int, hours: int, role: str
    ) -> NewInvitations:
        """Create invitations into a group that the caller organises; an admin's may make the group."""
        if self.signup == "closed":
            raise RegistrationClosed(
                "Only admins open accounts in this arena, so that no code could be used. Started with"
                " MAUMAU_REGISTRATION=code it takes codes; `maumau admin accounts NAME…` opens accounts now."
            )
        _check_count(count, hours)
        now = self.clock()
        ends_at, codes = now + (hours or USUAL_HOURS) * HOUR, {}
        with self.database.write() as session:
            if not who.may(Need.ADMIN):
                lock_caller(session, who)  # so that no code of a deleted organiser stays open
            group, is_new = lead_group(session, who, name, now)
            _check_open(session, group, count, now)
            for _ in range(count):
                invitation = GroupInvitation(
                    id=new_id("invitation"),
                    hash=code_hash(code := new_invitation_code()),
                    group_id=group.id,
                    role=role,
                    made_by=who.account_id,
                    created_at=now,
                    expires_at=ends_at,
                )
                session.add(invitation)
                codes[invitation.id] = code
        return NewInvitations(codes, ends_at, is_new)

    def list_invitations(self, who: Identity, name: str, after: str, most: int) -> list[ListedInvitation]:
        """Return the invitations of a group after the one of an id, in the order of their ids."""
        query = select(GroupInvitation, Account.name).join(
            Account, col(Account.id) == GroupInvitation.used_by, isouter=True
        )
        with self.database.read() as session:
            group, _ = lead_group(session, who, name, self.clock(), makes=False)
            query = query.where(GroupInvitation.group_id == group.id, GroupInvitation.id > after)
            found = session.exec(query.order_by(GroupInvitation.id).limit(most)).all()
        return [ListedInvitation(one, group.name, used_by or "") for one, used_by in found]

    def revoke_invitations(self, who: Identity, ids: Sequence[str], name: str) -> int:
        """Revoke open invitations, by their ids or all of a group; return how many ended."""
        if bool(ids) == bool(name) or len(ids) > MOST_CODES:
            words = f"Name up to {MOST_CODES:,} invitations by their ids, or the group whose all are to end."
            raise BadRequest(words, field="ids")
        now = self.clock()
        open_ones = col(GroupInvitation.used_at).is_(None), col(GroupInvitation.revoked_at).is_(None)
        with self.database.write() as session:
            groups = [name] if name else _find_groups(session, ids)
            led = {lead_group(session, who, one, now, makes=False)[0].id for one in groups}
            change = update(GroupInvitation).where(*open_ones, col(GroupInvitation.expires_at) > now)
            change = change.where(col(GroupInvitation.group_id).in_(led))
            if ids:
                change = change.where(col(GroupInvitation.id).in_(ids))
            ended = session.execute(change.values(revoked_at=now))
            return int(ended.rowcount)  # type: ignore[attr-defined]

    def join_group(self, who: Identity, code: str) -> ListedGroup:
        """Put the caller's account into the group of a code."""
        with self.database.write() as session:
            lock_caller(session, who)
            invitation = take_invitation(session, code, self.clock())
            group = use_invitation(session, invitation, who.account_id, self.clock())
            role = find_role(session, group, who.account_id)
            return ListedGroup(group, role, count_members(session, [group.id])[group.id])


def take_invitation(session: Session, typed: str, now: int) -> GroupInvitation:
    """Return the open invitation of a code, locked; raise UnknownInvitation if it is used or unknown."""
    wanted = select(GroupInvitation).where(GroupInvitation.hash == code_hash(typed)).with_for_update()
    found = session.exec(wanted).first()
    if found is None or found.used_at is not None or found.revoked_at is not None:
        raise UnknownInvitation
    if found.expires_at <= now:
        raise ExpiredInvitation
    return found


def use_invitation(session: Session, invitation: GroupInvitation, account_id: str, now: int) -> AccountGroup:
    """Use an invitation up for an account; return the group that the account is in now."""
    group = session.get_one(AccountGroup, invitation.group_id)
    add_member(session, group, account_id, invitation.role, now, keep=True)
    invitation.used_at, invitation.used_by = now, account_id
    session.add(invitation)
    return group


def find_state(invitation: GroupInvitation, now: int) -> str:
    """Return `used`, `revoked`, `expired` or `open`."""
    if invitation.used_at is not None:
        return "used"
    if invitation.revoked_at is not None:
        return "revoked"
    return "expired" if invitation.expires_at <= now else "open"


def _check_count(count: int, hours: int) -> None:
    if not 1 <= count <= MOST_CODES:
        raise BadRequest(f"A call makes 1 to {MOST_CODES:,} codes, not {count}.", field="count")
    if not 0 <= hours <= MOST_HOURS:
        raise BadRequest(f"A code lasts 1 to {MOST_HOURS:,} hours, not {hours}.", field="hours")


def _check_open(session: Session, group: AccountGroup, count: int, now: int) -> None:
    lock_group(session, group)
    waiting = col(GroupInvitation.used_at).is_(None), col(GroupInvitation.revoked_at).is_(None)
    query = (
        select(func.count())
        .select_from(GroupInvitation)
        .where(GroupInvitation.group_id == group.id, *waiting)
    )
    there = session.exec(query.where(col(GroupInvitation.expires_at) > now)).one()
    if there + count > MOST_CODES:
        words = f"{group.name} has {there:,} open codes; {MOST_CODES:,} are allowed at a time."
        raise QuotaReached(words, quota=f"invitations of {group.name}")


def _find_groups(session: Session, ids: Sequence[str]) -> Sequence[str]:
    """Return the names of the groups of these invitations; raise UnknownInvitation for unknown ids."""
    query = select(GroupInvitation.id, AccountGroup.name).join(
        AccountGroup, col(AccountGroup.id) == GroupInvitation.group_id
    )
    found = dict(session.exec(query.where(col(GroupInvitation.id).in_(ids))).all())
    if missing := [one for one in ids if one not in found]:
        raise UnknownInvitation(
            f"There is no invitation {missing[0][:80]!r}; `maumau group codes` lists those of a group.",
            thing=missing[0],
        )
    return sorted(set(found.values()))
