"""Invitations into teams: for one account, or for whoever has a code; each is accepted once."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, and_, col, or_, select

from maumau.errors import (
    BadRequest,
    ExpiredInvitation,
    NotAllowed,
    QuotaReached,
    UnknownAccount,
    UnknownInvitation,
    WrongState,
)
from services.registry.domain.role import MEMBER, OWNER
from services.registry.domain.token import code_hash, new_invitation_code
from services.registry.models import Account, Team, TeamInvitation
from services.registry.store.near import say_near
from services.registry.store.people.invitation import MOST_HOURS, USUAL_HOURS
from services.registry.store.people.owner import find_stay, lock_account
from services.registry.store.people.team import ListedTeam, Teams, list_team, lock_team, own_team
from services.shared.base.auth import OWN, SCOPES, Identity
from services.shared.base.clock import HOUR
from services.shared.base.ident import new_id

MOST_OPEN, SHOWN = 100, 200
"""Open invitations of a team, and those that a list shows."""


class ListedTeamInvitation(NamedTuple):
    """An invitation with the names of its team and of the account that it is for, "" for none."""

    invitation: TeamInvitation
    team_name: str
    account_name: str


class JoinedTeam(NamedTuple):
    """The team that somebody has joined, and the number of bots that came along."""

    team: ListedTeam
    brought: int


class TeamInvitations:
    """Invitations into teams in the database."""

    def __init__(self, teams: Teams) -> None:
        self.teams, self.database, self.clock = teams, teams.database, teams.clock

    def invite(
        self, who: Identity, name: str, account_name: str, hours: int
    ) -> tuple[ListedTeamInvitation, str]:
        """Invite an account, or make a code; return the invitation and its code. name: for admins."""
        if not 0 <= hours <= MOST_HOURS:
            raise BadRequest(f"An invitation lasts 1 to {MOST_HOURS:,} hours, not {hours}.", field="hours")
        now, code = self.clock(), "" if account_name else new_invitation_code()
        with self.database.write() as session:
            team = own_team(session, who, name)
            _check_open(session, team, now)
            account = _find_invited(session, team, account_name, now) if account_name else None
            invitation = TeamInvitation(
                id=new_id("invitation"),
                hash=code_hash(code) if code else None,
                team_id=team.account_id,
                account_id=account.id if account else None,
                made_by=who.account_id,
                created_at=now,
                expires_at=now + (hours or USUAL_HOURS) * HOUR,
            )
            session.add(invitation)
            return ListedTeamInvitation(invitation, team.name, account_name), code

    def list_open(self, who: Identity) -> list[ListedTeamInvitation]:
        """Return the open invitations to the caller, and those of the caller's team."""
        with self.database.read() as session:
            stay = find_stay(session, who.account_id)
            mine = col(TeamInvitation.account_id) == who.account_id
            if stay:
                mine = or_(mine, col(TeamInvitation.team_id) == stay.team_id)
            query = (
                select(TeamInvitation, Team.name, Account.name)
                .join(Team, col(Team.account_id) == TeamInvitation.team_id)
                .join(Account, col(Account.id) == TeamInvitation.account_id, isouter=True)
                .where(mine, _is_open(self.clock()))
            )
            found = session.exec(query.order_by(TeamInvitation.id).limit(SHOWN)).all()
        return [ListedTeamInvitation(one, team, account or "") for one, team, account in found]

    def end(self, who: Identity, invitation_id: str) -> None:
        """Refuse an invitation to the caller, or revoke one of a team that the caller owns."""
        with self.database.write() as session:
            query = select(TeamInvitation).where(TeamInvitation.id == invitation_id)
            found = session.exec(query.where(_is_open(self.clock())).with_for_update()).first()
            stay = find_stay(session, who.account_id)
            is_mine = found is not None and found.account_id == who.account_id
            is_ours = found is not None and stay is not None and found.team_id == stay.team_id
            if found is None or not (is_mine or is_ours):
                raise _unknown(invitation_id)
            if not is_mine and (stay is None or stay.role != OWNER):
                raise NotAllowed("Only the owners of a team revoke its invitations; you are a member.")
            found.ended_at = self.clock()
            session.add(found)

    def join(self, who: Identity, code: str, invitation_id: str) -> JoinedTeam:
        """Accept an invitation, by its code or its id."""
        if bool(code) == bool(invitation_id):
            raise BadRequest("Name the invitation by its code or by its id.", field="code")
        with self.database.write() as session:
            found = self._find(session, who, code, invitation_id)
            team = lock_team(session, session.get_one(Team, found.team_id))  # first, as elsewhere
            session.refresh(found, with_for_update=True)
            self._check_usable(found, code)
            found.ended_at = self.clock()
            session.add(found)
            brought = self.teams.add(session, team, who, MEMBER)
            return JoinedTeam(list_team(session, team), brought)

    def _find(self, session: Session, who: Identity, code: str, invitation_id: str) -> TeamInvitation:
        """Return the open invitation that the caller may accept."""
        query = select(TeamInvitation).where(
            TeamInvitation.hash == code_hash(code)
            if code
            else and_(
                col(TeamInvitation.id) == invitation_id, col(TeamInvitation.account_id) == who.account_id
            )
        )
        if (found := session.exec(query).first()) is None:
            raise UnknownInvitation if code else _unknown(invitation_id)
        self._check_usable(found, code)
        return found

    def _check_usable(self, found: TeamInvitation, code: str) -> None:
        if found.ended_at is not None:
            raise UnknownInvitation if code else _unknown(found.id)
        if found.expires_at <= self.clock():
            raise ExpiredInvitation


def _unknown(invitation_id: str) -> UnknownInvitation:
    words = (
        f"There is no open invitation {invitation_id[:80]!r} for you; `maumau team invitations` lists them."
    )
    return UnknownInvitation(words, thing=invitation_id)


def _is_open(now: int) -> bool:
    return and_(col(TeamInvitation.ended_at).is_(None), col(TeamInvitation.expires_at) > now)  # type: ignore[return-value]


def _check_open(session: Session, team: Team, now: int) -> None:
    there = select(func.count()).where(TeamInvitation.team_id == team.account_id, _is_open(now))
    if session.exec(there).one() >= MOST_OPEN:
        words = f"{team.name} has {MOST_OPEN} open invitations, as many as a team may have."
        raise QuotaReached(words, quota=f"invitations of {team.name}")


def _is_person() -> ColumnElement[bool]:
    """Return the condition that an account is neither a team nor one of the arena's own."""
    team = select(Team.account_id).where(col(Team.account_id) == col(Account.id)).correlate(Account)
    return and_(~team.exists(), col(Account.name).not_in((*OWN, *SCOPES)))


def _find_invited(session: Session, team: Team, name: str, now: int) -> Account:
    account = session.exec(select(Account).where(Account.name == name)).first()
    if account is None or session.get(Team, account.id) is not None or name in (*OWN, *SCOPES):
        near = say_near(session, col(Account.name), name, _is_person())
        raise UnknownAccount(f"There is no account {name[:80]!r} to invite; {near}.", thing=name)
    lock_account(session, account)
    stay = find_stay(session, account.id)
    if stay and stay.team_id == team.account_id:
        raise WrongState(f"{name} is in {team.name} already.")
    asked = TeamInvitation.team_id == team.account_id, TeamInvitation.account_id == account.id
    if session.exec(select(TeamInvitation.id).where(*asked, _is_open(now))).first():
        raise WrongState(f"{name} is invited already.")
    return account
