"""Tokens in use: listed, revoked together with those they made, rotated."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import false, func, or_, tuple_, update
from sqlmodel import Session, col, select

from maumau.errors import NotAllowed, RevokedToken, UnknownTokenId
from services.registry.domain.token import new_token, token_hash
from services.registry.models import Account, Token, Webhook
from services.registry.store.people.owner import lock_caller, lock_row
from services.shared.base.auth import Identity, Need
from services.shared.base.clock import Clock
from services.shared.base.ident import new_id
from services.shared.base.page import MOST
from services.shared.base.worker_name import choose_host
from services.shared.store.connect import Database

SETTINGS = "settings"
"""The parent of a host's token that is in the settings."""
BLOCKED = "its account is shut out"


class Owned(NamedTuple):
    """A token with the name of its account."""

    token: Token
    account_name: str


class Tokens:
    """Tokens for their owners to see and end: admins all, others their own, a host of workers its one.

    Most tokens of hosts belong to the account of the admin who made them.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database, self.clock = database, clock

    def list_tokens(self, who: Identity, account_name: str, after: str = "", most: int = MOST) -> list[Owned]:
        """Return the valid tokens after the one of that id, oldest first.

        They are the caller's own, or for an admin those of an account.
        """
        name = account_name or who.name
        if name != who.name and not who.may(Need.ADMIN):
            raise NotAllowed("Only an admin lists the tokens of another account.")
        holding = select(Token, Account.name).join(Account).where(Account.name == name)
        if who.host:
            holding = holding.where(Token.id == who.token_id)
        ended = col(Token.expires_at) <= self.clock()
        holding = holding.where(col(Token.revoked_at).is_(None), ~func.coalesce(ended, false()))
        order = tuple_(col(Token.created_at), col(Token.id))
        with self.database.read() as session:
            made_at = session.exec(select(Token.created_at).where(Token.id == after)).first()
            if made_at is not None:
                holding = holding.where(order > tuple_(made_at, after))
            rows = session.exec(holding.order_by(col(Token.created_at), col(Token.id)).limit(most)).all()
        return [Owned(*row) for row in rows]

    def revoke_token(self, who: Identity, token_id: str) -> int:
        """Revoke a token and all that it made; return the number revoked."""
        with self.database.write() as session:
            token = session.exec(select(Token).where(Token.id == token_id)).first()
            if token is None or not _may_end(who, token):
                words = f"There is no token {token_id[:80]!r} that is yours to revoke."
                raise UnknownTokenId(words, thing=token_id)
            if token.expires_at is None:
                raise NotAllowed("The arena's own tokens are changed by its settings, not revoked.")
            lock_row(session, token.account_id)
            session.refresh(token, with_for_update=True)
            revoked = revoke_branch(session, token, self.clock())
            if token.account_id != who.account_id:
                _silence_blocked(session, token.account_id, self.clock())
            return revoked

    def rotate_token(self, who: Identity) -> tuple[str, int]:
        """Return a new token to replace the caller's, with its scopes and its end.

        The caller's own ends when the new one is first used, since an answer may be lost. Rotating
        again revokes a successor that was never used.
        """
        with self.database.write() as session:
            lock_caller(session, who)
            old = lock_token(session, who)
            if old.expires_at is None or old.parent == SETTINGS:
                raise NotAllowed("The arena's own tokens are changed by its settings, not rotated.")
            _end_successors(session, old, self.clock())
            fresh, text = _build_successor(old, self.clock()), new_token()
            fresh.hash = token_hash(text)
            session.add(fresh)
            return text, old.expires_at


def _may_end(who: Identity, token: Token) -> bool:
    if who.host:
        return token.id == who.token_id
    return token.account_id == who.account_id or who.may(Need.ADMIN)


def _silence_blocked(session: Session, account_id: str, now: int) -> None:
    """Disable the webhooks of an account whose last valid token an admin has just revoked."""
    session.flush()
    valid = or_(col(Token.expires_at).is_(None), col(Token.expires_at) > now)
    own = Token.account_id == account_id, col(Token.revoked_at).is_(None), valid
    if session.exec(select(Token.id).where(*own).limit(1)).first() is None:
        theirs = col(Webhook.account_id) == account_id, col(Webhook.disabled_at) == 0
        silent = {"disabled_at": now, "next_at": 0, "problem": BLOCKED}
        session.execute(update(Webhook).where(*theirs).values(**silent))


def lock_token(session: Session, who: Identity) -> Token:
    """Return the caller's token, locked against revocation; raise RevokedToken if that has happened."""
    token = session.exec(select(Token).where(Token.id == who.token_id).with_for_update()).one()
    if token.revoked_at is not None:
        raise RevokedToken
    return token


def replace_token(session: Session, token_id: str, now: int) -> None:
    """Replace a token on the first use of its successor, which takes over the tokens that it made."""
    fresh = session.exec(select(Token).where(Token.id == token_id)).one()
    old_id = fresh.replaces
    lock_row(session, fresh.account_id)
    old = session.exec(select(Token).where(Token.id == old_id).with_for_update()).first()
    session.refresh(fresh, with_for_update=True)
    if old is None or fresh.revoked_at is not None or not fresh.replaces:
        return
    fresh.replaces = ""
    session.flush()
    _end_successors(session, old, now)
    for child in _list_children(session, old):
        child.parent = fresh.id
    old.revoked_at = now


def limit_end(maker: Identity, ends_at: int) -> int:
    """Return the end of a token, at most that of the token that makes it."""
    return ends_at if maker.expires_at is None else min(ends_at, maker.expires_at)


def revoke_branch(session: Session, token: Token, now: int) -> int:
    """Revoke a token, those that it made, and theirs; return the number newly revoked."""
    count = 0
    for one in (token, *_walk_descendants(session, token)):
        if one.revoked_at is None:
            one.revoked_at = now
            count += 1
    return count


def _end_successors(session: Session, old: Token, now: int) -> None:
    """Revoke the unused successors of a token."""
    for unused in session.exec(select(Token).where(Token.replaces == old.id).with_for_update()).all():
        unused.revoked_at = now if unused.revoked_at is None else unused.revoked_at


def find_host(token: Token) -> str:
    """Return the host of a worker's token; empty for the arena's own."""
    scopes = token.scopes.split()
    is_hosts = "worker" in scopes and "admin" not in scopes and token.expires_at is not None
    return choose_host(token.label, token.id) if is_hosts else ""


def _build_successor(old: Token, now: int) -> Token:
    """Return a successor for the same host, even if the host is the id of the old token."""
    return Token(
        hash="",
        id=new_id("token"),
        label=find_host(old) or old.label,
        parent=old.parent,
        replaces=old.id,
        account_id=old.account_id,
        scopes=old.scopes,
        created_at=now,
        expires_at=old.expires_at,
    )


def _walk_descendants(session: Session, token: Token) -> Iterator[Token]:
    for child in _list_children(session, token):
        yield child
        yield from _walk_descendants(session, child)


def _list_children(session: Session, token: Token) -> list[Token]:
    """Return the tokens that it made, and its unused successor.

    They are locked, and their parent before them: a token being revoked makes no more.
    """
    made = (Token.parent == token.id) | (Token.replaces == token.id)
    return list(session.exec(select(Token).where(made).with_for_update()).all())
