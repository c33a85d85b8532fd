"""Accounts and tokens."""

from typing import NamedTuple

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, delete, select

from maumau.errors import (
    BadRequest,
    ExpiredToken,
    NameTaken,
    NotAllowed,
    RegistrationClosed,
    UnknownAccount,
    UnknownToken,
)
from services.registry.models import Account, Token
from services.registry.name import HOUSE, check_account, near
from services.registry.token import new_token, token_hash
from services.shared.auth import SCOPES, Identity, Need
from services.shared.clock import DAY, Clock
from services.shared.connect import Database
from services.shared.ident import new_id

MOST_DAYS = 365


class Grant(NamedTuple):
    """A token just made: its account's id, the token itself, its end in milliseconds."""

    account_id: str
    token: str
    expires_at: int


class Accounts:
    """Who there is, and which tokens they have."""

    def __init__(self, database: Database, clock: Clock, days: int, *, open_to_all: bool) -> None:
        self.database, self.clock, self.days, self.open_to_all = database, clock, days, open_to_all

    def ensure(self, name: str, scope: str, token: str) -> None:
        """The arena's own account with this one token that does not end; an earlier one ends now."""
        with self.database.write() as session:
            self.database.alone(session.connection())
            account = _by_name(session, name) or self._new(session, name, scope)
            own = (col(Token.account_id) == account.id, col(Token.expires_at).is_(None))
            session.exec(delete(Token).where(*own))
            session.add(_token(account, token, scope, self.clock(), None))

    def create(self, name: str, who: Identity | None) -> Grant:
        """An author's account with its first token; anyone may where the arena is open, else an admin."""
        if not self.open_to_all and not (who and who.may(Need.ADMIN)):
            raise RegistrationClosed
        if name == HOUSE and not (who and who.may(Need.ADMIN)):
            raise NotAllowed(f"The account {HOUSE} is the arena's own; choose another name.")
        try:
            with self.database.write() as session:
                account = self._new(session, check_account(name), "author")
                return self._grant(session, account, account.scopes, self.days)
        except IntegrityError as err:
            raise NameTaken(f"There is an account {name} already; choose another name.") from err

    def create_token(self, who: Identity, scopes: list[str], days: int, name: str) -> Grant:
        """A further token, for oneself or, by an admin, for the account of that name.

        Without scopes it has the caller's own, or those of the other account.
        """
        if not 0 <= days <= MOST_DAYS:
            raise BadRequest(f"A token lasts 1 to {MOST_DAYS} days, not {days}.")
        with self.database.write() as session:
            account = self._account_for(session, who, name)
            wanted = scopes or (
                sorted(who.scopes) if account.id == who.account_id else account.scopes.split()
            )
            _check_scopes(who, wanted)
            return self._grant(session, account, " ".join(dict.fromkeys(wanted)), days or self.days)

    def identify(self, token: str) -> Identity:
        """Whose token this is."""
        with self.database.read() as session:
            query = select(Token, Account).join(Account).where(Token.hash == token_hash(token))
            found = session.exec(query).first()
        if found is None:
            raise UnknownToken
        row, account = found
        if row.expires_at is not None and row.expires_at <= self.clock():
            raise ExpiredToken
        return Identity(account.id, account.name, frozenset(row.scopes.split()), row.expires_at)

    def _account_for(self, session: Session, who: Identity, name: str) -> Account:
        if name in ("", who.name):
            return session.get_one(Account, who.account_id)
        if not who.may(Need.ADMIN):
            raise NotAllowed("Only an admin gives tokens to another account.")
        if (account := _by_name(session, name)) is None:
            names = session.exec(select(Account.name)).all()
            raise UnknownAccount(f"There is no account {name[:80]!r}; {near(name, names)}.")
        return account

    def _new(self, session: Session, name: str, scopes: str) -> Account:
        account = Account(id=new_id("account"), name=name, scopes=scopes, created_at=self.clock())
        session.add(account)
        session.flush()
        return account

    def _grant(self, session: Session, account: Account, scopes: str, days: int) -> Grant:
        token, now = new_token(), self.clock()
        session.add(_token(account, token, scopes, now, now + days * DAY))
        return Grant(account.id, token, now + days * DAY)


def _token(account: Account, token: str, scopes: str, now: int, expires_at: int | None) -> Token:
    return Token(
        hash=token_hash(token), account_id=account.id, scopes=scopes, created_at=now, expires_at=expires_at
    )


def _by_name(session: Session, name: str) -> Account | None:
    return session.exec(select(Account).where(Account.name == name)).first()


def _check_scopes(who: Identity, scopes: list[str]) -> None:
    if strange := [scope for scope in scopes if scope not in SCOPES]:
        raise BadRequest(f"{strange[0][:80]!r} is not a scope; scopes are {', '.join(SCOPES)}.")
    if more := [scope for scope in scopes if not who.may(Need[scope.upper()])]:
        raise NotAllowed(f"The token of {who.name} has no scope {more[0]}, so it cannot give it.")
