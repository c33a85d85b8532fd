"""Groups of accounts, and who is in them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import func, or_
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select, update

from maumau.errors import BadRequest, NotAllowed, QuotaReached, UnknownAccount, UnknownGroup, UnknownMember
from services.registry.domain.name import check_group
from services.registry.domain.role import MEMBER, ORGANISER
from services.registry.models import (
    Account,
    AccountGroup,
    Bot,
    GroupInvitation,
    Membership,
    Team,
    TeamMember,
    Version,
)
from services.registry.store.people.owner import lock_account
from services.shared.base.auth import Identity, Need
from services.shared.base.clock import Clock
from services.shared.base.ident import new_id
from services.shared.store.connect import Database

MOST_GROUPS, MOST_MEMBERS = 100, 10_000
"""Groups that an account may be in, and accounts that may be in a group."""


class ListedGroup(NamedTuple):
    """A group with its number of members. role: the asker's, "" if the asker is not in it."""

    group: AccountGroup
    role: str
    members: int


class ListedMember(NamedTuple):
    """A member with the account's name."""

    name: str
    membership: Membership


class Groups:
    """Groups in the database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database, self.clock = database, clock

    def list_roles(self, account_id: str) -> dict[str, str]:
        """Return the roles of an account by the names of its groups."""
        query = select(AccountGroup.name, Membership.role).join(
            Membership, col(Membership.group_id) == AccountGroup.id
        )
        with self.database.read() as session:
            return dict(session.exec(query.where(Membership.account_id == account_id)).all())

    def add_led(self, who: Identity) -> Identity:
        """Return a caller with the groups that it organises, by which its actions are kept."""
        roles = self.list_roles(who.account_id) if "author" in who.scopes else {}
        return replace(who, led=frozenset(name for name, role in roles.items() if role == ORGANISER))

    def list_programs(self, who: Identity, hashes: set[str]) -> set[str]:
        """Return those of some programs that members of the caller's groups have submitted.

        Only groups that the caller organises count. Raise NotAllowed if there is none.
        """
        own = select(Membership.group_id).where(
            Membership.account_id == who.account_id, Membership.role == ORGANISER
        )
        with self.database.read() as session:
            if not (led := session.exec(own).all()):
                raise NotAllowed("Only organisers, of the arena or of a group, compare programs.")
            of = select(Version.sha256).join(Bot, col(Bot.id) == Version.bot_id)
            inside = select(Membership.account_id).where(col(Membership.group_id).in_(led))
            there = col(TeamMember.left_at).is_(None)
            some = select(TeamMember.team_id).where(there, col(TeamMember.account_id).in_(inside))
            outside = select(TeamMember.team_id).where(there, col(TeamMember.team_id).in_(some))
            outside = outside.where(col(TeamMember.account_id).not_in(inside))
            teams = some.where(col(TeamMember.team_id).not_in(outside))
            theirs = or_(col(Bot.account_id).in_(inside), col(Bot.account_id).in_(teams))
            return set(session.exec(of.where(col(Version.sha256).in_(hashes), theirs)).all())

    def list_groups(self, who: Identity, name: str, after: str, most: int) -> list[ListedGroup]:
        """Return the groups that the caller may see after a name, by name; only that of `name` if given."""
        sees_all = who.may(Need.SERVICE)
        own = (col(Membership.group_id) == AccountGroup.id) & (col(Membership.account_id) == who.account_id)
        query = select(AccountGroup, Membership.role).join(Membership, own, isouter=sees_all)
        query = query.where(AccountGroup.name == name) if name else query.where(AccountGroup.name > after)
        with self.database.read() as session:
            found = session.exec(query.order_by(AccountGroup.name).limit(most)).all()
            counts = count_members(session, [group.id for group, _ in found])
        return [ListedGroup(group, role or "", counts.get(group.id, 0)) for group, role in found]

    def list_members(self, who: Identity, name: str, after: str, most: int) -> list[ListedMember]:
        """Return the members of a group after a name, by name; for its members and admins."""
        query = select(Account.name, Membership).join(Membership, col(Membership.account_id) == Account.id)
        with self.database.read() as session:
            group = find_group(session, who, name)
            query = query.where(Membership.group_id == group.id, Account.name > after)
            found = session.exec(query.order_by(Account.name).limit(most)).all()
        return [ListedMember(*one) for one in found]

    def set_member(self, who: Identity, name: str, account_name: str, role: str) -> ListedMember:
        """Put an account into a group, or change its role."""
        with self.database.write() as session:
            group, _ = lead_group(session, who, name, self.clock())
            account = _find_account(session, account_name)
            lock_account(session, account)
            if role == MEMBER and find_role(session, group, account.id) == ORGANISER:
                _end_codes(session, group, account.id, self.clock())
            membership = add_member(session, group, account.id, role, self.clock(), keep=False)
            return ListedMember(account.name, membership)

    def remove_member(self, who: Identity, name: str, account_name: str) -> None:
        """Remove a member; members may remove themselves."""
        with self.database.write() as session:
            if account_name in ("", who.name):
                group = find_group(session, who, name)
            else:
                group, _ = lead_group(session, who, name, self.clock(), makes=False)
            wanted = account_name or who.name
            locked = select(Account.id).where(Account.name == wanted).with_for_update()
            account_id = session.exec(locked).first()  # so that it makes no code meanwhile
            member = session.get(Membership, (group.id, account_id or ""), populate_existing=True)
            if member is None:
                raise UnknownMember(f"{wanted[:80]} is not in {group.name}.", thing=wanted)
            if member.role == ORGANISER:
                _end_codes(session, group, member.account_id, self.clock())
            session.delete(member)


def find_group(session: Session, who: Identity, name: str) -> AccountGroup:
    """Return a group that the caller is in, any for an admin; raise UnknownGroup alike for others."""
    group = _by_name(session, name)
    if group is None or not (who.may(Need.ADMIN) or find_role(session, group, who.account_id)):
        raise UnknownGroup(
            f"There is no group {name[:80]!r} that you are in; `maumau group list` shows yours.", thing=name
        )
    return group


def lead_group(
    session: Session, who: Identity, name: str, now: int, *, makes: bool = True
) -> tuple[AccountGroup, bool]:
    """Return a group that the caller organises, and True if it was made for an admin just now."""
    if makes and who.may(Need.ADMIN) and _by_name(session, name) is None:
        group = AccountGroup(id=new_id("group"), name=check_group(name), created_at=now)
        with suppress(IntegrityError), session.begin_nested():  # another call may have just made it
            session.add(group)
            session.flush()
            return group, True
    group = find_group(session, who, name)
    if not who.may(Need.ADMIN) and find_role(session, group, who.account_id) != ORGANISER:
        raise NotAllowed(f"Only the organisers of {group.name} and admins may do this; you are a member.")
    return group, False


def find_role(session: Session, group: AccountGroup, account_id: str) -> str:
    """Return the role of an account in a group, "" if it is not in it."""
    member = session.get(Membership, (group.id, account_id))
    return member.role if member else ""


def add_member(
    session: Session, group: AccountGroup, account_id: str, role: str, now: int, *, keep: bool
) -> Membership:
    """Put an account into a group. keep: an organiser who is in it already stays one."""
    member = session.get(Membership, (group.id, account_id), with_for_update=True)
    if member is None:
        _check_room(session, group, account_id)
        member = Membership(group_id=group.id, account_id=account_id, role=role, joined_at=now)
        session.add(member)
    elif not (keep and role == MEMBER):
        member.role = role
    session.flush()
    return member


def _end_codes(session: Session, group: AccountGroup, account_id: str, now: int) -> None:
    """Revoke the unused codes of a former organiser, who could otherwise return with one."""
    made = col(GroupInvitation.group_id) == group.id, col(GroupInvitation.made_by) == account_id
    open_ones = col(GroupInvitation.used_at).is_(None), col(GroupInvitation.revoked_at).is_(None)
    session.exec(update(GroupInvitation).where(*made, *open_ones).values(revoked_at=now))


def lock_group(session: Session, group: AccountGroup) -> None:
    """Lock a group, after accounts and codes, before its members or open codes are counted."""
    own = select(AccountGroup.id).where(AccountGroup.id == group.id)
    session.exec(own.with_for_update(key_share=True)).one()


def _check_room(session: Session, group: AccountGroup, account_id: str) -> None:
    lock_group(session, group)
    for own, most, words in (
        (Membership.account_id == account_id, MOST_GROUPS, "An account may be in {} groups."),
        (Membership.group_id == group.id, MOST_MEMBERS, "A group may have {} members."),
    ):
        if session.exec(select(func.count()).select_from(Membership).where(own)).one() >= most:
            raise QuotaReached(words.format(f"{most:,}"), quota=f"members of {group.name}")


def count_members(session: Session, group_ids: list[str]) -> dict[str, int]:
    """Return the numbers of members by group."""
    counts = select(Membership.group_id, func.count()).where(col(Membership.group_id).in_(group_ids))
    return dict(session.exec(counts.group_by(Membership.group_id)).all())


def _find_account(session: Session, name: str) -> Account:
    if not name:
        raise BadRequest("An account must be named.", field="account_name")
    account = session.exec(select(Account).where(Account.name == name)).first()
    if account is None or session.get(Team, account.id) is not None:
        raise UnknownAccount(f"There is no account {name[:80]!r}.", thing=name)
    return account


def choose_told(session: Session, names: Sequence[str]) -> list[str]:
    """Return the accounts and teams to tell of a notice.

    NAME@GROUP is told only while in the group; of a team as NAME+GROUP the members who are, while an account
    named so is told in any case, since it sees what it has entered.
    """
    told: list[str] = []
    for name, mark, group in (_split(one) for one in names):
        if not mark:
            told.append(name)
            continue
        members = _list_team(session, name)
        if mark == "+" and not members:
            told.append(name)
        else:
            told += _list_inside(session, members or [name], group)
    return told


def _split(named: str) -> tuple[str, str, str]:
    mark = next((one for one in "@+" if one in named), "")
    name, _, group = named.partition(mark) if mark else (named, "", "")
    return name, mark, group


def _list_team(session: Session, name: str) -> Sequence[str]:
    """Return the names of a team's present members; an empty list for any other account."""
    members = select(Account.name).join(TeamMember, col(TeamMember.account_id) == Account.id)
    members = members.join(Team, col(Team.account_id) == TeamMember.team_id)
    return session.exec(members.where(Team.name == name, col(TeamMember.left_at).is_(None))).all()


def _list_inside(session: Session, names: Sequence[str], group: str) -> Sequence[str]:
    """Return those of some accounts that are in a group."""
    inside = select(Account.name).join(Membership, col(Membership.account_id) == Account.id)
    inside = inside.join(AccountGroup, col(AccountGroup.id) == Membership.group_id)
    return session.exec(inside.where(AccountGroup.name == group, col(Account.name).in_(names))).all()


def _by_name(session: Session, name: str) -> AccountGroup | None:
    return session.exec(select(AccountGroup).where(AccountGroup.name == name)).first()
