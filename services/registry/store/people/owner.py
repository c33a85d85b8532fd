"""Owners of bots: an account, or the team that it is in, for which it then acts.

Membership is read in the transaction of each change, not with the token; other services learn it with
`WhoAmI`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from sqlalchemy import func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, or_, select

from maumau.errors import RevokedToken, UnknownAccount
from services.registry.domain.name import build_pseudonym
from services.registry.models import Account, AccountGroup, Membership, Team, TeamMember
from services.shared.base.auth import Identity
from services.shared.base.clock import DAY

COUNTED: Final = 30 * DAY
"""Milliseconds for which ladders count an account with the team that it has left."""


class RelatedOwner(NamedTuple):
    """An account or team that counts as one with an owner; until: None while the stay lasts."""

    name: str
    until: int | None


class _Mate(NamedTuple):
    """An account that counts as one with an owner."""

    account_id: str
    owner: RelatedOwner


class OwnerInfo(NamedTuple):
    """An owner with what rules about owners need; its fields are explained in the contract."""

    name: str
    is_team: bool
    members: Sequence[str]
    groups: Sequence[str]
    related: Sequence[RelatedOwner]
    party: str


def find_stay(session: Session, account_id: str) -> TeamMember | None:
    """Return the stay of an account in the team that it is in now."""
    own = select(TeamMember).where(TeamMember.account_id == account_id, col(TeamMember.left_at).is_(None))
    return session.exec(own.execution_options(populate_existing=True)).first()  # as it is after a lock


def lock_caller(session: Session, who: Identity) -> None:
    """Lock the caller's account, or team, so that its changes come one after the other.

    Raise RevokedToken if it has been deleted since the caller's token was checked.
    """
    name = session.exec(select(Account.name).where(Account.id == who.account_id).with_for_update()).first()
    if name != who.name:
        raise RevokedToken


def lock_account(session: Session, account: Account) -> None:
    """Lock an account before it is given tokens, logins, groups or invitations.

    Raise UnknownAccount if it has been deleted. Its row is locked before all others that are its own, and
    after its team's.
    """
    name = account.name
    session.refresh(account, with_for_update=True)
    if is_deleted(account):
        raise UnknownAccount(f"The account {name} was deleted.", thing=name)


def lock_row(session: Session, account_id: str) -> None:
    """Lock an account before its tokens, even a deleted one; rows that point to it may still be added."""
    own = select(Account.id).where(Account.id == account_id)
    session.exec(own.with_for_update(key_share=True)).one()


def is_deleted(account: Account) -> bool:
    """Return True if an account has been deleted."""
    return account.name == build_pseudonym(account.id)


def act_as_owner(session: Session, who: Identity) -> Identity:
    """Return the caller as the owner of what it makes: its team, or itself without one.

    Read in the transaction of the change, so that a member who is removed acts for the team no more.
    """
    if (stay := find_stay(session, who.account_id)) is None:
        return who
    team = session.get_one(Account, stay.team_id)
    return replace(who, account_id=team.id, name=team.name)


def find_team_name(session: Session, account_id: str) -> str:
    """Return the name of the team that an account is in, "" for none."""
    stay = find_stay(session, account_id)
    return session.get_one(Team, stay.team_id).name if stay else ""


def describe_owner(session: Session, owner: Account, now: int) -> OwnerInfo:
    """Return an owner with its members, their common groups, and the owners that count as one with it."""
    is_team = session.get(Team, owner.id) is not None
    ids = _list_present(session, owner.id) if is_team else [owner.id]
    past = _list_past_teams(session, ids)
    mates = [*(_list_stays(session, owner.id) if is_team else ()), *_list_mates(session, ids)]
    there = _list_teams_of_mates(session, owner.id, mates)
    related = [*(one.owner for one in mates), *past, *there]
    recent = [one for one in past if one.until is not None and one.until > now - COUNTED]
    party = max(recent, key=lambda one: one.until or 0).name if recent and not is_team else owner.name
    names = session.exec(select(Account.name).where(col(Account.id).in_(ids)).order_by(Account.name)).all()
    return OwnerInfo(owner.name, is_team, names, _list_common_groups(session, ids), related, party)


def _list_present(session: Session, team_id: str) -> Sequence[str]:
    there = TeamMember.team_id == team_id, col(TeamMember.left_at).is_(None)
    return session.exec(select(TeamMember.account_id).where(*there)).all()


def _list_stays(session: Session, team_id: str) -> list[_Mate]:
    """Return everybody who is or was in a team."""
    query = select(Account.id, Account.name, TeamMember.left_at).join(
        TeamMember, col(TeamMember.account_id) == Account.id
    )
    found = session.exec(query.where(TeamMember.team_id == team_id))
    return [_Mate(key, RelatedOwner(name, until)) for key, name, until in found]


def _list_mates(session: Session, account_ids: Sequence[str]) -> list[_Mate]:
    """Return the accounts that were in a team at a time when one of these was."""
    mine, other = aliased(TeamMember), aliased(TeamMember)
    query = (
        select(Account.id, Account.name, mine.left_at, other.left_at)
        .join(other, col(other.account_id) == Account.id)
        .join(mine, col(mine.team_id) == col(other.team_id))
        .where(col(mine.account_id).in_(account_ids), col(other.account_id).not_in(account_ids))
        .where(or_(col(mine.left_at).is_(None), col(mine.left_at) > col(other.joined_at)))
        .where(or_(col(other.left_at).is_(None), col(other.left_at) > col(mine.joined_at)))
    )
    found = session.exec(query).all()
    return [
        _Mate(key, RelatedOwner(name, min((one for one in left if one is not None), default=None)))
        for key, name, *left in found
    ]


def _list_teams_of_mates(session: Session, owner_id: str, mates: Sequence[_Mate]) -> list[RelatedOwner]:
    """Return the other teams that these accounts are in now, for which they act."""
    query = select(TeamMember.account_id, Team.name).join(Team, col(Team.account_id) == TeamMember.team_id)
    asked = {owner_id, *(one.account_id for one in mates)}  # never empty; a team is in no team
    query = query.where(col(TeamMember.account_id).in_(asked))
    there = col(TeamMember.left_at).is_(None), TeamMember.team_id != owner_id
    found = dict(session.exec(query.where(*there)).all())
    return [RelatedOwner(found[one.account_id], one.owner.until) for one in mates if one.account_id in found]


def _list_past_teams(session: Session, account_ids: Sequence[str]) -> list[RelatedOwner]:
    """Return the teams that these accounts have left."""
    query = select(Team.name, TeamMember.left_at).join(TeamMember, col(TeamMember.team_id) == Team.account_id)
    query = query.where(col(TeamMember.account_id).in_(account_ids), col(TeamMember.left_at).is_not(None))
    return [RelatedOwner(*one) for one in session.exec(query)]


def _list_common_groups(session: Session, account_ids: Sequence[str]) -> Sequence[str]:
    """Return the names of the groups that all of these accounts are in."""
    query = select(AccountGroup.name).join(Membership, col(Membership.group_id) == AccountGroup.id)
    query = query.where(col(Membership.account_id).in_(account_ids)).group_by(AccountGroup.name)
    query = query.having(func.count() == len(account_ids)).order_by(AccountGroup.name)
    return session.exec(query).all() if account_ids else ()


def list_told(session: Session, names: Sequence[str]) -> set[str]:
    """Return the ids of these accounts, and of the present members of these teams."""
    members = select(TeamMember.account_id).join(Team, col(Team.account_id) == TeamMember.team_id)
    members = members.where(col(Team.name).in_(names), col(TeamMember.left_at).is_(None))
    named = select(Account.id).where(col(Account.name).in_(names))
    return {
        *session.exec(named).all(),
        *session.exec(members).all(),
    }  # two queries, so that each has its index
