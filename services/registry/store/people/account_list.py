"""Accounts as admins list them: by name, with what their tokens may do, their bots and their last use."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import false, func
from sqlmodel import Session, col, select

from maumau.errors import BadRequest
from services.registry.domain.name import ACCOUNT, ACCOUNT_START
from services.registry.models import Account, Bot, Token


@dataclass
class ListedAccount:
    """An account with the scopes and the number of its valid tokens, and of its bots that are not retired.

    used_at: when one of its tokens was last used, as `Token.used_at`; tokens that have ended count too.
    """

    account: Account
    scopes: set[str] = field(default_factory=set)
    tokens: int = 0
    bots: int = 0
    used_at: int | None = None


def choose_start(token: str, after: str) -> str:
    """Return the name after which a page begins: its token's; without one, `after`."""
    if token and not ACCOUNT.fullmatch(token):
        raise BadRequest(f"{token[:80]!r} is not the token of a page.", field="page_token")
    if after and not ACCOUNT_START.fullmatch(after):
        words = f"{after[:80]!r} is neither a name nor the beginning of one: at most 32 of a-z, 0-9 and -."
        raise BadRequest(words, field="after")
    return token or after


def list_accounts(session: Session, after: str, most: int, now: int) -> list[ListedAccount]:
    """Return the accounts after a name, by name."""
    rows = session.exec(select(Account).where(Account.name > after).order_by(Account.name).limit(most)).all()
    listed = {row.id: ListedAccount(row) for row in rows}
    _add_tokens(session, listed, now)
    for account_id, bots in _count_bots(session, list(listed)):
        listed[account_id].bots = bots
    return list(listed.values())


def _add_tokens(session: Session, listed: dict[str, ListedAccount], now: int) -> None:
    ended = func.coalesce(col(Token.expires_at) <= now, false())
    valid = func.count(col(Token.id)).filter(col(Token.revoked_at).is_(None), ~ended)
    query = select(Token.account_id, Token.scopes, valid, func.max(Token.used_at))
    query = query.where(col(Token.account_id).in_(listed)).group_by(Token.account_id, Token.scopes)
    for account_id, scopes, tokens, used_at in session.exec(query):
        one = listed[account_id]
        one.tokens += tokens
        one.scopes |= set(scopes.split()) if tokens else set()
        if used_at is not None:
            one.used_at = max(used_at, one.used_at or 0)


def _count_bots(session: Session, account_ids: Sequence[str]) -> Sequence[tuple[str, int]]:
    mine = col(Bot.account_id).in_(account_ids), col(Bot.retired_at).is_(None)
    counted = select(Bot.account_id, func.count(col(Bot.id))).where(*mine).group_by(Bot.account_id)
    return session.exec(counted).all()
