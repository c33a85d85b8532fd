"""Logins at an OpenID Connect provider: a person there, by issuer and subject alone, and an account here."""

from functools import partial

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from maumau.errors import NeedsInvitation, NotAllowed, RegistrationClosed, UnknownAccount, UnknownLogin
from services.registry.domain.token import new_token, token_hash
from services.registry.models import Account, Login, Token
from services.registry.store.people.account import HOST_DAYS, Accounts, InvitedGrant
from services.registry.store.people.owner import lock_account, lock_row
from services.registry.store.people.page import PageSession, is_valid, open_session
from services.shared.base.auth import Identity
from services.shared.base.clock import DAY, Clock
from services.shared.base.ident import new_id
from services.shared.store.connect import Database

LABEL = "OpenID Connect"
"""Of the token that stands for a login: whoever revokes it, by hand or by `admin block`, ends the login."""
ENDED = "This login has been ended, or its account is shut out; an admin of the arena can let you in again."
TAKEN = "This login at the provider already belongs to an account of the arena."


class Logins:
    """Logins in the database."""

    def __init__(self, database: Database, clock: Clock, accounts: Accounts) -> None:
        self.database, self.clock, self.accounts = database, clock, accounts

    def open(self, issuer: str, subject: str) -> PageSession:
        """Return a session of the page; raise UnknownLogin, or NotAllowed once the login has been ended."""
        now = self.clock()
        with self.database.write() as session:
            login = session.get(Login, (issuer, subject))
            if login is None:
                raise UnknownLogin
            lock_row(session, login.account_id)
            maker = session.exec(select(Token).where(Token.id == login.token_id).with_for_update()).one()
            if not is_valid(maker, now):
                raise NotAllowed(ENDED)
            return open_session(session, maker, now)

    def create(self, issuer: str, subject: str, name: str, code: str) -> InvitedGrant:
        """Create an account for a person at the provider, with a code or as the arena lets everybody.

        An address has no bound here, unlike in `Accounts.create_account`: the provider vouches for each
        person.
        """
        also = partial(self._link, issuer, subject)
        if code:
            return self.accounts.create_invited(name, code, also)
        if self.accounts.signup != "open":
            raise NeedsInvitation if self.accounts.signup == "code" else RegistrationClosed
        return InvitedGrant(self.accounts.create_vouched(name, also), "")

    def link(self, name: str, issuer: str, subject: str, *, as_author: bool = False) -> None:
        """Give a person at the provider this account; once more, and it holds again after it was ended.

        as_author: the login has an author's scope at most, as the session in which it is given.
        """
        with self.database.write() as session:
            account = session.exec(select(Account).where(Account.name == name)).first()
            if account is None:
                raise UnknownAccount(f"There is no account {name[:80]!r}.", thing=name)
            lock_account(session, account)
            known = session.get(Login, (issuer, subject))
            if known is None:
                self._link(issuer, subject, session, account, as_author=as_author)
                return
            if known.account_id != account.id:
                raise NotAllowed(TAKEN)
            known.token_id = self._add_token(session, account, as_author=as_author)
            session.add(known)

    def list_logins(self, who: Identity) -> list[Login]:
        """Return the caller's logins, oldest first."""
        mine = select(Login).where(Login.account_id == who.account_id)
        with self.database.read() as session:
            return list(session.exec(mine.order_by(col(Login.linked_at), col(Login.subject))).all())

    def _link(
        self, issuer: str, subject: str, session: Session, account: Account, *, as_author: bool = False
    ) -> None:
        if session.get(Login, (issuer, subject)) is not None:
            raise NotAllowed(TAKEN)
        token_id = self._add_token(session, account, as_author=as_author)
        session.add(
            Login(
                issuer=issuer,
                subject=subject,
                account_id=account.id,
                token_id=token_id,
                linked_at=self.clock(),
            )
        )
        try:
            session.flush()
        except IntegrityError:
            raise NotAllowed(TAKEN) from None

    def _add_token(self, session: Session, account: Account, *, as_author: bool) -> str:
        """Add the token that stands for a login; it is given to nobody."""
        now = self.clock()
        token = Token(
            hash=token_hash(new_token()),
            id=new_id("token"),
            label=LABEL,
            account_id=account.id,
            scopes="author" if as_author else account.scopes,
            created_at=now,
            expires_at=now + HOST_DAYS * DAY,
        )
        session.add(token)
        return token.id
