"""Deleted accounts: what is a person's goes, and the account stays under a pseudonym.

Its row stays, under a name that nobody can have chosen, since versions and results point to it. Of the old
name only the SHA-256 is kept, so that nobody else is given it; the log of actions has the name for as long
as it keeps them. Stays in teams still count for `per_account`, so that leaving by deletion gains nothing.

A change that counts what an account has, or gives it a token, login, membership or invitation, locks its row
first (a team's before it, its tokens and codes after it), so one that waited for the deletion is refused. A
new name is compared with the deleted ones again after its insertion, which waits for a deletion.
"""

from typing import NamedTuple

from sqlmodel import Session, col, delete, select, update

from maumau.errors import NotAllowed, NotYours, UnknownAccount, UnknownTeam, WrongState
from services.registry.domain.name import build_pseudonym
from services.registry.domain.role import OWNER
from services.registry.models import (
    BY_ADMIN,
    Account,
    Bot,
    ClosedName,
    GroupInvitation,
    Login,
    Membership,
    PageCode,
    Team,
    TeamInvitation,
    Token,
    Webhook,
)
from services.registry.store.bots.bot import retire
from services.registry.store.near import say_near
from services.registry.store.notices.webhook import remove
from services.registry.store.people.closed_name import hash_name
from services.registry.store.people.deletion_check import check_groups, check_hosts, check_token
from services.registry.store.people.owner import find_stay, is_deleted
from services.registry.store.people.team import end_invitations, end_stay, list_other_owners, lock_team
from services.shared.base.auth import OWN, SCOPES, Identity, Need
from services.shared.base.clock import DAY, Clock
from services.shared.store.connect import Database


class Deleted(NamedTuple):
    """A deleted account: its pseudonym, and how many bots were retired with it."""

    pseudonym: str
    bots: int


class Deletions:
    """Deletion of accounts in the database: by themselves, and by admins."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database, self.clock = database, clock

    def delete_account(self, who: Identity, name: str) -> Deleted:
        """Delete the caller's account, or for an admin the one of this name; a second time changes nothing.

        Raise WrongState for the last owner of a team, the last organiser of a group and a maker of hosts'
        tokens; NotAllowed for an account of the arena's own, and for a token that is not enough.
        """
        if name != who.name and not who.may(Need.ADMIN):
            raise NotYours(f"You are {who.name}; only an admin deletes the account {name[:80]}.")
        if name in (*OWN, *SCOPES):
            raise NotAllowed(f"{name} is the arena's own account and cannot be deleted.")
        with self.database.write() as session:
            account = _find_account(session, name)
            if is_deleted(account):
                return Deleted(account.name, 0)
            self._leave_team(session, account)
            session.refresh(account, with_for_update=True)
            if is_deleted(account):  # another call has deleted it meanwhile
                return Deleted(account.name, 0)
            if account.id == who.account_id:
                check_token(session, who, account, self.clock())
            self._check_nothing_is_kept(session, account)
            bots = self._retire_bots(session, account)
            self._forget_person(session, account)
            return Deleted(self._close_name(session, account), bots)

    def _leave_team(self, session: Session, account: Account) -> None:
        """End the account's stay in its team, from which its bots come back; teams are locked first."""
        if (stay := find_stay(session, account.id)) is None:
            return
        try:
            team = lock_team(session, session.get_one(Team, stay.team_id))
        except UnknownTeam:  # it was dissolved meanwhile
            return
        session.refresh(stay)  # the role may have changed until the lock
        if stay.left_at is not None:
            return
        if stay.role == OWNER and not list_other_owners(session, team, stay):
            raise WrongState(
                f"{account.name} is the only owner of {team.name}: `maumau team promote NAME` hands it over"
                " to a member, `maumau team dissolve` ends it. Then delete the account."
            )
        end_invitations(session, team, account.id, self.clock())
        end_stay(session, stay, self.clock())

    def _check_nothing_is_kept(self, session: Session, account: Account) -> None:
        """Raise NotAllowed for an account with tokens of the settings, WrongState if others need it first."""
        own = Token.account_id == account.id, col(Token.expires_at).is_(None), col(Token.revoked_at).is_(None)
        if session.exec(select(Token.id).where(*own)).first():
            raise NotAllowed(f"{account.name} is the arena's own account and cannot be deleted.")
        if find_stay(session, account.id):
            raise WrongState(f"{account.name} has just joined a team; try again.")
        check_hosts(session, account, self.clock())
        check_groups(session, account)

    def _retire_bots(self, session: Session, account: Account) -> int:
        mine = select(Bot).where(Bot.account_id == account.id, col(Bot.retired_at).is_(None))
        bots = session.exec(mine.order_by(Bot.id)).all()
        for bot in bots:
            retire(session, bot, self.clock())
        return len(bots)

    def _forget_person(self, session: Session, account: Account) -> None:
        """End tokens and invitations, and delete logins, webhooks, mail addresses and memberships."""
        self._end_invitations(session, account)
        for webhook in session.exec(
            select(Webhook).where(Webhook.account_id == account.id).with_for_update()
        ):
            remove(session, webhook)
        own, now = col(Token.account_id) == account.id, self.clock()
        session.execute(delete(PageCode).where(col(PageCode.token_id).in_(select(Token.id).where(own))))
        session.execute(update(Token).where(own, col(Token.revoked_at).is_(None)).values(revoked_at=now))
        session.execute(update(Token).where(own).values(label=""))
        session.execute(delete(Login).where(col(Login.account_id) == account.id))
        session.execute(delete(Membership).where(col(Membership.account_id) == account.id))

    def _end_invitations(self, session: Session, account: Account) -> None:
        """End the open invitations for the account, and those that it made into its groups."""
        now = self.clock()
        asked = col(TeamInvitation.account_id) == account.id, col(TeamInvitation.ended_at).is_(None)
        session.execute(update(TeamInvitation).where(*asked).values(ended_at=now))
        groups = select(Membership.group_id).where(Membership.account_id == account.id)
        made = col(GroupInvitation.group_id).in_(groups), col(GroupInvitation.made_by) == account.id
        still = col(GroupInvitation.used_at).is_(None), col(GroupInvitation.revoked_at).is_(None)
        session.execute(update(GroupInvitation).where(*made, *still).values(revoked_at=now))

    def _close_name(self, session: Session, account: Account) -> str:
        """Give the account a pseudonym, and its name to nobody any more; return the pseudonym.

        The address that opened it counts for a day, so that nobody opens more accounts by deleting some.
        """
        now = self.clock()
        session.add(ClosedName(hash=hash_name(account.name), account_id=account.id, closed_at=now))
        account.name, account.scopes = build_pseudonym(account.id), ""
        if account.created_at <= now - DAY:
            account.registered_from, account.registered_site = BY_ADMIN, ""
        session.add(account)
        session.flush()
        return account.name


def _find_account(session: Session, name: str) -> Account:
    """Return the account that has this name, or had it until it was deleted."""
    found = session.exec(select(Account).where(Account.name == name)).first()
    if found and (team := session.get(Team, found.id)):
        words = f"{name} is a team, which `maumau team dissolve --team {name}` ends."
        raise UnknownAccount(
            words if team.dissolved_at is None else f"{name} was a team, which is dissolved.", thing=name
        )
    if found:
        return found
    if closed := session.get(ClosedName, hash_name(name)):
        return session.get_one(Account, closed.account_id)
    words = f"There is no account {name[:80]!r}; {say_near(session, col(Account.name), name)}."
    raise UnknownAccount(words, thing=name)
