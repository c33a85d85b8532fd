"""Teams of accounts, and who is in them."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import func
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select, update

from maumau.errors import NameTaken, NotAllowed, QuotaReached, UnknownMember, UnknownTeam, WrongState
from services.registry.domain.name import check_team
from services.registry.domain.role import MEMBER, OWNER
from services.registry.models import Account, Bot, Team, TeamInvitation, TeamMember
from services.registry.store.people.closed_name import add_account
from services.registry.store.people.owner import (
    OwnerInfo,
    describe_owner,
    find_stay,
    find_team_name,
    lock_caller,
)
from services.registry.store.search import contains
from services.shared.base.auth import OWN, SCOPES, Identity, Need
from services.shared.base.clock import DAY, Clock
from services.shared.base.ident import new_id
from services.shared.store.connect import Database

MOST_MEMBERS, MOST_STAYS = 16, 10
"""Accounts of a team, and stays that an account may begin within a day."""


class ListedTeam(NamedTuple):
    """A team with the numbers of its members and of its bots that are not retired."""

    team: Team
    members: int
    bots: int


class ListedTeamMember(NamedTuple):
    """A member with the account's name."""

    name: str
    stay: TeamMember


class Teams:
    """Teams in the database. most_bots: that an owner may have."""

    def __init__(self, database: Database, clock: Clock, most_bots: int) -> None:
        self.database, self.clock, self.most_bots = database, clock, most_bots

    def create(self, who: Identity, name: str) -> ListedTeam:
        """Found a team of which the caller is the owner."""
        if check_team(name) in (*OWN, *SCOPES):
            raise NotAllowed(f"The name {name} is the arena's own; choose another one.")
        try:
            with self.database.write() as session:
                lock_caller(session, who)
                founder = session.get_one(Account, who.account_id)
                account = Account(
                    id=new_id("account"),
                    name=name,
                    scopes="",
                    created_at=self.clock(),
                    registered_from=founder.registered_from,
                    registered_site=founder.registered_site,
                )
                add_account(session, account)
                team = Team(account_id=account.id, name=name, created_at=self.clock())
                session.add(team)
                session.flush()
                self.add(session, team, who, OWNER)
                return list_team(session, team)
        except IntegrityError as err:
            raise NameTaken(f"There is an account or team {name} already; choose another name.") from err

    def add(self, session: Session, team: Team, who: Identity, role: str) -> int:
        """Begin the caller's stay in a team, for which its bots come along; return their number."""
        now = self.clock()
        _check_may_join(session, who, now)
        present = select(func.count()).where(*_present(team))
        if session.exec(present).one() >= MOST_MEMBERS:
            raise QuotaReached(f"A team has at most {MOST_MEMBERS} members.", quota=f"members of {team.name}")
        stay = TeamMember(
            id=new_id("stay"),
            team_id=team.account_id,
            account_id=who.account_id,
            role=role,
            joined_at=now,
        )
        session.add(stay)
        session.flush()
        own = col(Bot.account_id) == who.account_id
        moved = session.execute(
            update(Bot).where(own).values(account_id=team.account_id, brought_by=who.account_id)
        )
        self._check_bots(session, team, who)
        return int(moved.rowcount)  # type: ignore[attr-defined]

    def _check_bots(self, session: Session, team: Team, who: Identity) -> None:
        kept = select(func.count()).where(Bot.account_id == team.account_id, col(Bot.retired_at).is_(None))
        if (there := session.exec(kept).one()) > self.most_bots:
            raise QuotaReached(
                f"With the bots of {who.name}, {team.name} would have {there} bots; this arena allows an"
                f" owner {self.most_bots}. `maumau retire BOT` makes room.",
                quota=f"bots of {team.name}",
            )

    def find(self, who: Identity, name: str) -> tuple[ListedTeam, list[ListedTeamMember]]:
        """Return a team with its members; without a name the caller's own."""
        with self.database.read() as session:
            team = find_team(session, name) if name else find_own(session, who)
            query = select(Account.name, TeamMember).join(
                TeamMember, col(TeamMember.account_id) == Account.id
            )
            members = session.exec(query.where(*_present(team)).order_by(Account.name)).all()
            return list_team(session, team), [ListedTeamMember(*one) for one in members]

    def list_teams(self, part: str, after: str, most: int) -> list[ListedTeam]:
        """Return the teams after a name whose names contain a part, by name."""
        query = select(Team).where(col(Team.dissolved_at).is_(None), Team.name > after)
        with self.database.read() as session:
            found = session.exec(query.where(contains(col(Team.name), part)).order_by(Team.name).limit(most))
            return [list_team(session, one) for one in found.all()]

    def set_role(self, who: Identity, name: str, account_name: str, role: str) -> ListedTeamMember:
        """Give a member another role. name: of the team, for admins."""
        with self.database.write() as session:
            team = own_team(session, who, name)
            stay = _find_member(session, team, account_name)
            if stay.role == OWNER and role == MEMBER:
                _check_other_owner(session, team, stay)
                end_invitations(session, team, stay.account_id, self.clock())
            stay.role = role
            session.add(stay)
            return ListedTeamMember(account_name, stay)

    def leave(self, who: Identity, name: str, account_name: str) -> int:
        """End the stay of the caller, or for owners of a member; return how many bots go along."""
        with self.database.write() as session:
            if account_name in ("", who.name) and not name:
                team = lock_team(session, find_own(session, who))
            else:
                team = own_team(session, who, name)
            stay = _find_member(session, team, account_name or who.name)
            if stay.role == OWNER:
                _check_other_owner(session, team, stay)
            end_invitations(session, team, stay.account_id, self.clock())
            return end_stay(session, stay, self.clock())

    def dissolve(self, who: Identity, name: str) -> None:
        """End all stays of a team; bots that nobody has brought go to the owner who dissolves it."""
        now = self.clock()
        with self.database.write() as session:
            team = own_team(session, who, name)
            stays = session.exec(select(TeamMember).where(*_present(team)).order_by(TeamMember.id)).all()
            owners = [one.account_id for one in stays if one.role == OWNER]
            heir = who.account_id if who.account_id in owners else owners[0]
            for stay in stays:
                end_stay(session, stay, now)
            rest = col(Bot.account_id) == team.account_id
            session.execute(update(Bot).where(rest).values(account_id=heir, brought_by=""))
            end_invitations(session, team, "", now)
            team.dissolved_at = now
            session.add(team)

    def describe(self, owner: Account) -> OwnerInfo:
        """Return an owner with what rules about owners need."""
        with self.database.read() as session:
            return describe_owner(session, owner, self.clock())

    def find_name(self, account_id: str) -> str:
        """Return the name of the team that an account is in, "" for none."""
        with self.database.read() as session:
            return find_team_name(session, account_id)


def find_team(session: Session, name: str) -> Team:
    """Return a team that has not been dissolved; raise UnknownTeam without one."""
    found = session.exec(select(Team).where(Team.name == name, col(Team.dissolved_at).is_(None))).first()
    if found is None:
        raise UnknownTeam(f"There is no team {name[:80]!r}; `maumau team list` shows all.", thing=name)
    return found


def find_own(session: Session, who: Identity) -> Team:
    """Return the caller's team; raise UnknownTeam if it is in none."""
    if (stay := find_stay(session, who.account_id)) is None:
        raise UnknownTeam("You are in no team; `maumau team create NAME` founds one.")
    return session.get_one(Team, stay.team_id)


def own_team(session: Session, who: Identity, name: str) -> Team:
    """Return the team that the caller owns, locked; for an admin the one of a name."""
    if name and who.may(Need.ADMIN):
        return lock_team(session, find_team(session, name))
    team = lock_team(session, find_own(session, who))
    stay = find_stay(session, who.account_id)
    if stay is None or stay.team_id != team.account_id or (name and name != team.name):
        raise NotAllowed(f"You are not in the team {name or team.name}.")
    if stay.role != OWNER:
        raise NotAllowed(f"Only the owners of {team.name} may do this; you are a member.")
    return team


def lock_team(session: Session, team: Team) -> Team:
    """Lock a team, so that its changes come one after the other; raise UnknownTeam if it is dissolved."""
    session.refresh(team, with_for_update=True)
    if team.dissolved_at is not None:
        raise UnknownTeam(f"There is no team {team.name!r} any more.", thing=team.name)
    return team


def list_team(session: Session, team: Team) -> ListedTeam:
    """Return a team with its numbers."""
    members = session.exec(select(func.count()).where(*_present(team))).one()
    bots = select(func.count()).where(Bot.account_id == team.account_id, col(Bot.retired_at).is_(None))
    return ListedTeam(team, members, session.exec(bots).one())


def end_invitations(session: Session, team: Team, made_by: str, now: int) -> None:
    """End the open invitations that an account has made, who could otherwise return with one; "": all."""
    of = col(TeamInvitation.team_id) == team.account_id, col(TeamInvitation.ended_at).is_(None)
    made = [col(TeamInvitation.made_by) == made_by] if made_by else []
    session.execute(update(TeamInvitation).where(*of, *made).values(ended_at=now))


def _present(team: Team) -> tuple[bool, bool]:
    return TeamMember.team_id == team.account_id, col(TeamMember.left_at).is_(None)  # type: ignore[return-value]


def _find_member(session: Session, team: Team, name: str) -> TeamMember:
    query = select(TeamMember).join(Account, col(Account.id) == TeamMember.account_id)
    found = session.exec(
        query.where(Account.name == name, *_present(team)).execution_options(populate_existing=True)
    ).first()
    if found is None:
        raise UnknownMember(f"{name[:80]} is not in {team.name}.", thing=name)
    return found


def _check_may_join(session: Session, who: Identity, now: int) -> None:
    """Raise unless the caller's account may begin a stay; lock the account, so that it begins one alone."""
    lock_caller(session, who)
    if who.name in (*OWN, *SCOPES):
        raise NotAllowed(f"{who.name} is the arena's own account and is in no team.")
    if name := find_team_name(session, who.account_id):
        raise WrongState(f"You are in the team {name}; `maumau team leave` first, as an account is in one.")
    begun = TeamMember.account_id == who.account_id, col(TeamMember.joined_at) > now - DAY
    if session.exec(select(func.count()).where(*begun)).one() >= MOST_STAYS:
        words = f"{who.name} joined {MOST_STAYS} teams within 24 hours; try again tomorrow."
        raise QuotaReached(words, quota=f"teams of {who.name}")


def list_other_owners(session: Session, team: Team, stay: TeamMember) -> Sequence[str]:
    """Return the ids of the stays of a team's owners beside this one."""
    others = select(TeamMember.id).where(*_present(team), TeamMember.role == OWNER, TeamMember.id != stay.id)
    return session.exec(others).all()


def _check_other_owner(session: Session, team: Team, stay: TeamMember) -> None:
    if not list_other_owners(session, team, stay):
        raise WrongState(
            f"{team.name} has no other owner: `maumau team promote NAME` hands it over to a member,"
            " `maumau team dissolve` ends it."
        )


def end_stay(session: Session, stay: TeamMember, now: int) -> int:
    """End a stay; return how many bots go back to the account that has brought them."""
    stay.left_at = now
    session.add(stay)
    brought = col(Bot.account_id) == stay.team_id, col(Bot.brought_by) == stay.account_id
    back = update(Bot).where(*brought).values(account_id=stay.account_id, brought_by="")
    moved = session.execute(back)
    return int(moved.rowcount)  # type: ignore[attr-defined]
