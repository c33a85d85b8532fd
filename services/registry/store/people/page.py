"""Logins of the page: a code made with a token, exchanged once for a token of the page's own."""

from typing import NamedTuple

from sqlmodel import Session, col, delete, select

from maumau.errors import UnknownPageCode
from services.registry.domain.token import code_hash, new_code, new_token, token_hash
from services.registry.models import Account, PageCode, Token
from services.registry.store.people.owner import lock_caller, lock_row
from services.registry.store.people.token import lock_token
from services.shared.base.auth import Identity, Need
from services.shared.base.clock import DAY, Clock
from services.shared.base.ident import new_id
from services.shared.store.connect import Database

CODE_HOLDS = 60_000  # milliseconds
SESSION_DAYS = 7  # at most
LABEL = "page"


class Code(NamedTuple):
    """A new code, and its end in milliseconds since 1970."""

    text: str
    expires_at: int


class PageSession(NamedTuple):
    """A token of the page's own, its end in milliseconds since 1970, its account's name."""

    token: str
    expires_at: int
    account_name: str


class PageCodes:
    """Codes for the page: made with a token, and exchanged for a token that ends with the first one."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database, self.clock = database, clock

    def create_code(self, who: Identity) -> Code:
        """Return a new code, which replaces an earlier one of this token."""
        code = Code(new_code(), self.clock() + CODE_HOLDS)
        with self.database.write() as session:
            lock_caller(session, who)
            lock_token(session, who)
            ended = col(PageCode.expires_at) <= self.clock()
            session.execute(delete(PageCode).where(ended | (col(PageCode.token_id) == who.token_id)))
            session.add(
                PageCode(token_id=who.token_id, hash=code_hash(code.text), expires_at=code.expires_at)
            )
        return code

    def redeem_code(self, typed: str) -> PageSession:
        """Exchange a code for a session's token; raise UnknownPageCode if it is used, expired or unknown."""
        now, wanted = self.clock(), PageCode.hash == code_hash(typed)
        with self.database.write() as session:
            made_for = select(Token.account_id).join(PageCode, col(PageCode.token_id) == Token.id)
            if account_id := session.exec(made_for.where(wanted)).first():
                lock_row(session, account_id)
            code = session.exec(select(PageCode).where(wanted).with_for_update()).first()
            if code is None or code.expires_at <= now:
                raise UnknownPageCode
            maker = session.exec(select(Token).where(Token.id == code.token_id).with_for_update()).one()
            if not is_valid(maker, now):
                raise UnknownPageCode
            session.delete(code)
            return open_session(session, maker, now)


def open_session(session: Session, maker: Token, now: int) -> PageSession:
    """Return a session of the page, which ends with the token that made it."""
    account, text = session.get_one(Account, maker.account_id), new_token()
    latest = now + SESSION_DAYS * DAY
    ends_at = latest if maker.expires_at is None else min(latest, maker.expires_at)
    token = Token(
        hash=token_hash(text),
        id=new_id("token"),
        label=LABEL,
        parent=maker.id,
        account_id=account.id,
        scopes=_narrow_scope(account, maker),
        created_at=now,
        expires_at=ends_at,
    )
    session.add(token)
    return PageSession(text, ends_at, account.name)


def is_valid(token: Token, now: int) -> bool:
    """Return True unless a token was revoked or has expired."""
    return token.revoked_at is None and (token.expires_at is None or token.expires_at > now)


def _narrow_scope(account: Account, maker: Token) -> str:
    """Return a browser's scope: at most an organiser's, regardless of the token that made it."""
    who = Identity(account.id, account.name, frozenset(maker.scopes.split()))
    return "organiser" if who.may(Need.ORGANISER) else "author"
