"""The page's logins: a code that a token makes, exchanged once for a token of the page's own."""

from typing import NamedTuple

from sqlmodel import Session, col, delete, select

from maumau.errors import UnknownPageCode
from services.registry.models import Account, PageCode, Token
from services.registry.store.token import lock_token
from services.registry.token import code_hash, new_code, new_token, token_hash
from services.shared.auth import Identity, Need
from services.shared.clock import DAY, Clock
from services.shared.connect import Database
from services.shared.ident import new_id

CODE_HOLDS = 60_000  # milliseconds
SESSION_DAYS = 7  # at most
LABEL = "page"


class Code(NamedTuple):
    """A code just made, and its end in milliseconds."""

    text: str
    expires_at: int


class PageSession(NamedTuple):
    """A token of the page's own: itself, its end in milliseconds, its account's name."""

    token: str
    expires_at: int
    account_name: str


class PageCodes:
    """Who has a token gets a code; who has the code gets a token that ends with the first one."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database, self.clock = database, clock

    def create(self, who: Identity) -> Code:
        """A code in place of the one that this token made before."""
        code = Code(new_code(), self.clock() + CODE_HOLDS)
        with self.database.write() as session:
            lock_token(session, who)
            ended = col(PageCode.expires_at) <= self.clock()
            session.execute(delete(PageCode).where(ended | (col(PageCode.token_id) == who.token_id)))
            session.add(
                PageCode(token_id=who.token_id, hash=code_hash(code.text), expires_at=code.expires_at)
            )
        return code

    def redeem(self, typed: str) -> PageSession:
        """The session's token; UnknownPageCode if the code was used, has ended or never was."""
        now, wanted = self.clock(), PageCode.hash == code_hash(typed)
        with self.database.write() as session:
            code = session.exec(select(PageCode).where(wanted).with_for_update()).first()
            if code is None or code.expires_at <= now:
                raise UnknownPageCode
            maker = session.exec(select(Token).where(Token.id == code.token_id).with_for_update()).one()
            if not _holds(maker, now):
                raise UnknownPageCode
            session.delete(code)
            return self._open(session, maker)

    def _open(self, session: Session, maker: Token) -> PageSession:
        account, now, text = session.get_one(Account, maker.account_id), self.clock(), new_token()
        latest = now + SESSION_DAYS * DAY
        ends_at = latest if maker.expires_at is None else min(latest, maker.expires_at)
        token = Token(
            hash=token_hash(text), id=new_id("token"), label=LABEL, parent=maker.id, account_id=account.id,
            scopes=_narrow(account, maker), created_at=now, expires_at=ends_at,
        )  # fmt: skip
        session.add(token)
        return PageSession(text, ends_at, account.name)


def _holds(token: Token, now: int) -> bool:
    return token.revoked_at is None and (token.expires_at is None or token.expires_at > now)


def _narrow(account: Account, maker: Token) -> str:
    """A browser never has more than an organiser's scope, whatever the token that made it may do."""
    who = Identity(account.id, account.name, frozenset(maker.scopes.split()))
    return "organiser" if who.may(Need.ORGANISER) else "author"
