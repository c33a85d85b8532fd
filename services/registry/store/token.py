"""Tokens that there are: listed, revoked with what they made, rotated."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import false, func, tuple_
from sqlmodel import Session, col, select

from maumau.errors import NotAllowed, RevokedToken, UnknownTokenId
from services.registry.models import Account, Token
from services.registry.token import new_token, token_hash
from services.shared.auth import Identity, Need
from services.shared.clock import Clock
from services.shared.connect import Database
from services.shared.ident import new_id
from services.shared.page import MOST
from services.shared.worker_name import choose_host


class Owned(NamedTuple):
    """A token with the name of its account."""

    token: Token
    account_name: str


class Tokens:
    """Owners see and end their own tokens, admins everybody's."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database, self.clock = database, clock

    def list_tokens(self, who: Identity, account_name: str, after: str = "", most: int = MOST) -> list[Owned]:
        """The tokens that still hold, the oldest first, those after the one of that id.

        One's own, or by an admin those of an account.
        """
        name = account_name or who.name
        if name != who.name and not who.may(Need.ADMIN):
            raise NotAllowed("Only an admin lists the tokens of another account.")
        holding = select(Token, Account.name).join(Account).where(Account.name == name)
        ended = col(Token.expires_at) <= self.clock()
        holding = holding.where(col(Token.revoked_at).is_(None), ~func.coalesce(ended, false()))
        order = tuple_(col(Token.created_at), col(Token.id))
        with self.database.read() as session:
            made_at = session.exec(select(Token.created_at).where(Token.id == after)).first()
            if made_at is not None:
                holding = holding.where(order > tuple_(made_at, after))
            rows = session.exec(holding.order_by(col(Token.created_at), col(Token.id)).limit(most)).all()
        return [Owned(*row) for row in rows]

    def revoke(self, who: Identity, token_id: str) -> int:
        """Ends a token and all that it made; how many ended."""
        with self.database.write() as session:
            token = session.exec(select(Token).where(Token.id == token_id).with_for_update()).first()
            if token is None or not (token.account_id == who.account_id or who.may(Need.ADMIN)):
                words = f"There is no token {token_id[:80]!r} that is yours to revoke."
                raise UnknownTokenId(words, thing=token_id)
            if token.expires_at is None:
                raise NotAllowed("The arena's own tokens are changed by its settings, not revoked.")
            return revoke_branch(session, token, self.clock())

    def rotate(self, who: Identity) -> tuple[str, int]:
        """A new token to replace the caller's, with its scopes and its end.

        The caller's own ends when the new one is first used: an answer may be lost on its way. Rotating
        again ends a successor that was never used.
        """
        with self.database.write() as session:
            old = lock_token(session, who)
            if old.expires_at is None:
                raise NotAllowed("The arena's own tokens are changed by its settings, not rotated.")
            _end_successors(session, old, self.clock())
            fresh, text = _successor(old, self.clock()), new_token()
            fresh.hash = token_hash(text)
            session.add(fresh)
            return text, old.expires_at


def lock_token(session: Session, who: Identity) -> Token:
    """The caller's token, which nobody revokes before this ends; RevokedToken if somebody has by now."""
    token = session.exec(select(Token).where(Token.id == who.token_id).with_for_update()).one()
    if token.revoked_at is not None:
        raise RevokedToken
    return token


def replace_token(session: Session, token_id: str, now: int) -> None:
    """A successor is used for the first time: it takes over what the old token made, and that one ends."""
    fresh = session.exec(select(Token).where(Token.id == token_id)).one()
    old_id = fresh.replaces
    old = session.exec(select(Token).where(Token.id == old_id).with_for_update()).first()
    session.refresh(fresh, with_for_update=True)
    if old is None or fresh.revoked_at is not None or not fresh.replaces:
        return
    fresh.replaces = ""
    session.flush()
    _end_successors(session, old, now)
    for child in _children(session, old):
        child.parent = fresh.id
    old.revoked_at = now


def limit_end(maker: Identity, ends_at: int) -> int:
    """No token outlives the one that made it."""
    return ends_at if maker.expires_at is None else min(ends_at, maker.expires_at)


def revoke_branch(session: Session, token: Token, now: int) -> int:
    """Revokes a token, those that it made, and theirs; how many were not revoked before."""
    count = 0
    for one in (token, *_descendants(session, token)):
        if one.revoked_at is None:
            one.revoked_at = now
            count += 1
    return count


def _end_successors(session: Session, old: Token, now: int) -> None:
    """Ends the tokens that were to replace this one and were never used."""
    for unused in session.exec(select(Token).where(Token.replaces == old.id).with_for_update()).all():
        unused.revoked_at = now if unused.revoked_at is None else unused.revoked_at


def find_host(token: Token) -> str:
    """The host of a worker's token; empty for the arena's own."""
    scopes = token.scopes.split()
    is_hosts = "worker" in scopes and "admin" not in scopes and token.expires_at is not None
    return choose_host(token.label, token.id) if is_hosts else ""


def _successor(old: Token, now: int) -> Token:
    """Of the same host, also where that is the id of the old one."""
    return Token(
        hash="", id=new_id("token"), label=find_host(old) or old.label, parent=old.parent, replaces=old.id,
        account_id=old.account_id, scopes=old.scopes, created_at=now, expires_at=old.expires_at,
    )  # fmt: skip


def _descendants(session: Session, token: Token) -> Iterator[Token]:
    for child in _children(session, token):
        yield child
        yield from _descendants(session, child)


def _children(session: Session, token: Token) -> list[Token]:
    """Those that it made, and a successor that was never used.

    Locked, and their parent before them: nothing is made with a token while it is being revoked.
    """
    made = (Token.parent == token.id) | (Token.replaces == token.id)
    return list(session.exec(select(Token).where(made).with_for_update()).all())
