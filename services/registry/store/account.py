"""Accounts and tokens."""

from typing import NamedTuple

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from maumau.errors import (
    BadRequest,
    ExpiredToken,
    NameTaken,
    NotAllowed,
    RegistrationClosed,
    RevokedToken,
    UnknownAccount,
    UnknownToken,
)
from services.registry.models import Account, Token
from services.registry.name import HOUSE, check_account
from services.registry.store.near import say_near
from services.registry.store.token import find_host, limit_end, lock_token, replace_token, revoke_branch
from services.registry.store.use import Uses
from services.registry.token import new_token, token_hash
from services.shared.auth import SCOPES, Identity, Need
from services.shared.clock import DAY, Clock
from services.shared.connect import Database
from services.shared.ident import new_id
from services.shared.worker_name import RESERVED_LABELS

MOST_DAYS = 365
MAX_LABEL = 60  # characters; a longer one is refused, since two that were cut could be one host


class Grant(NamedTuple):
    """A token just made: its account's id, the token itself, its end in milliseconds."""

    account_id: str
    token: str
    expires_at: int


class Accounts:
    """Who there is, and which tokens they have."""

    def __init__(self, database: Database, clock: Clock, days: int, *, open_to_all: bool) -> None:
        self.database, self.clock, self.days, self.open_to_all = database, clock, days, open_to_all
        self.uses = Uses(database, clock)

    def ensure(self, name: str, scope: str, token: str) -> None:
        """The arena's own account with this one token that does not end.

        An earlier one ends now, with the tokens that it made.
        """
        with self.database.write() as session:
            self.database.alone(session.connection())
            account = _by_name(session, name) or self._new(session, name, scope)
            own = select(Token).where(Token.account_id == account.id, col(Token.expires_at).is_(None))
            for other in session.exec(own.where(Token.hash != token_hash(token))).all():
                revoke_branch(session, other, self.clock())
            kept = session.get(Token, token_hash(token))
            if kept is None:
                session.add(_token(account, token, scope, self.clock(), None))
            else:
                kept.revoked_at = None

    def create(self, name: str, who: Identity | None) -> Grant:
        """An author's account with its first token; anyone may where the arena is open, else an admin."""
        if not self.open_to_all and not (who and who.may(Need.ADMIN)):
            raise RegistrationClosed
        if name == HOUSE and not (who and who.may(Need.ADMIN)):
            raise NotAllowed(f"The account {HOUSE} is the arena's own; choose another name.")
        try:
            with self.database.write() as session:
                account = self._new(session, check_account(name), "author")
                return self._grant(session, account, account.scopes, self.clock() + self.days * DAY)
        except IntegrityError as err:
            raise NameTaken(f"There is an account {name} already; choose another name.") from err

    def create_token(self, who: Identity, scopes: list[str], days: int, name: str, label: str = "") -> Grant:
        """A further token, for oneself or, by an admin, for the account of that name.

        Without scopes it has the caller's own, or those of the other account. It ends with the token that
        made it at the latest.
        """
        if not who.may(Need.AUTHOR):
            raise NotAllowed("A worker's token makes no further tokens.")
        if not 0 <= days <= MOST_DAYS:
            raise BadRequest(f"A token lasts 1 to {MOST_DAYS} days, not {days}.", field="days")
        _check_label(label)
        with self.database.write() as session:
            lock_token(session, who)
            account = self._account_for(session, who, name)
            wanted = scopes or (
                sorted(who.scopes) if account.id == who.account_id else account.scopes.split()
            )
            _check_scopes(who, wanted)
            ends_at = limit_end(who, self.clock() + (days or self.days) * DAY)
            return self._grant(session, account, " ".join(dict.fromkeys(wanted)), ends_at, label, who)

    def identify(self, token: str) -> Identity:
        """Whose token this is; the first use of a rotated one ends the token that it replaces."""
        with self.database.read() as session:
            query = select(Token, Account).join(Account).where(Token.hash == token_hash(token))
            found = session.exec(query).first()
        if found is None:
            raise UnknownToken
        row, account = found
        if row.revoked_at is not None:
            raise RevokedToken
        if row.expires_at is not None and row.expires_at <= self.clock():
            raise ExpiredToken
        if row.replaces:
            with self.database.write() as session:
                replace_token(session, row.id, self.clock())
        self.uses.note(row)
        scopes = frozenset(row.scopes.split())
        return Identity(account.id, account.name, scopes, row.expires_at, row.id, find_host(row))

    def _account_for(self, session: Session, who: Identity, name: str) -> Account:
        if name in ("", who.name):
            return session.get_one(Account, who.account_id)
        if not who.may(Need.ADMIN):
            raise NotAllowed("Only an admin gives tokens to another account.")
        if (account := _by_name(session, name)) is None:
            words = f"There is no account {name[:80]!r}; {say_near(session, col(Account.name), name)}."
            raise UnknownAccount(words, thing=name)
        return account

    def _new(self, session: Session, name: str, scopes: str) -> Account:
        account = Account(id=new_id("account"), name=name, scopes=scopes, created_at=self.clock())
        session.add(account)
        session.flush()
        return account

    def _grant(
        self, session: Session, account: Account, scopes: str, ends_at: int, label: str = "",
        maker: Identity | None = None,
    ) -> Grant:  # fmt: skip
        token = new_token()
        row = _token(account, token, scopes, self.clock(), ends_at)
        row.label, row.parent = label, maker.token_id if maker else ""
        session.add(row)
        return Grant(account.id, token, ends_at)


def _token(account: Account, token: str, scopes: str, now: int, expires_at: int | None) -> Token:
    return Token(
        hash=token_hash(token), id=new_id("token"), account_id=account.id, scopes=scopes, created_at=now,
        expires_at=expires_at,
    )  # fmt: skip


def _check_label(label: str) -> None:
    if len(label) > MAX_LABEL:
        raise BadRequest(
            f"A label has at most {MAX_LABEL} characters; this one has {len(label)}.", field="label"
        )
    if label.startswith(RESERVED_LABELS):
        raise BadRequest(
            f"A label must not begin with {RESERVED_LABELS}, because the ids of tokens do.", field="label"
        )


def _by_name(session: Session, name: str) -> Account | None:
    return session.exec(select(Account).where(Account.name == name)).first()


def _check_scopes(who: Identity, scopes: list[str]) -> None:
    if strange := [scope for scope in scopes if scope not in SCOPES]:
        words = f"{strange[0][:80]!r} is not a scope; scopes are {', '.join(SCOPES)}."
        raise BadRequest(words, field="scopes")
    if more := [scope for scope in scopes if scope not in who.scopes and not who.may(Need.ADMIN)]:
        raise NotAllowed(f"The token of {who.name} has no scope {more[0]}, so it cannot give it.")
    if "worker" in scopes and not who.may(Need.ADMIN):
        raise NotAllowed("Only an admin makes tokens for workers, since each is for a host of its own.")
