"""Checks before an account is deleted: that its person asks, and that nobody is left without it."""

from typing import Final

from sqlmodel import Session, col, select

from maumau.errors import NotAllowed, WrongState
from services.registry.domain.role import ORGANISER
from services.registry.models import Account, AccountGroup, Login, Membership, Token
from services.registry.store.people.page import LABEL, is_valid
from services.registry.store.people.token import find_host
from services.shared.base.auth import Identity, Need

NEEDS: Final = {
    "author": Need.AUTHOR,
    "organiser": Need.ORGANISER,
    "admin": Need.ADMIN,
    "reader": Need.PAGE,
}
"""A token that meets these needs has the scope, or one that includes it."""


def check_token(session: Session, who: Identity, account: Account, now: int) -> None:
    """Raise NotAllowed unless the caller's token is an account's first, or one that an admin has given it.

    Tokens that these made, such as for a CI, do not delete the account, nor do tokens with fewer scopes than
    another one of it. A session of the page counts as the token that opened it, and as enough if it was
    opened by a login at a provider.
    """
    token = session.exec(select(Token).where(Token.id == who.token_id)).one()
    maker = _find_maker(session, token)
    if token.label == LABEL and maker:
        logins = select(Login).where(Login.account_id == account.id, Login.token_id == maker.id)
        if session.exec(logins).first():
            return
        token, maker = maker, _find_maker(session, maker)
    if maker:
        raise NotAllowed(
            f"This token was made by another one of {account.name}, such as for a CI, and does not delete the"
            " account: take the token with which it was opened, or delete it at the page after a login."
        )
    mine = Identity(account.id, account.name, frozenset(token.scopes.split()))
    own = session.exec(select(Token).where(Token.account_id == account.id)).all()
    held = {scope for one in own if is_valid(one, now) for scope in one.scopes.split()}
    if more := sorted(scope for scope in held if scope in NEEDS and not mine.may(NEEDS[scope])):
        raise NotAllowed(
            f"This token lacks the scope {more[0]}, which another token of {account.name} has: delete the"
            " account with that one."
        )


def check_hosts(session: Session, account: Account, now: int) -> None:
    """Raise WrongState for an account with valid tokens of hosts, whose workers would stop."""
    own = select(Token).where(Token.account_id == account.id, col(Token.revoked_at).is_(None))
    for token in session.exec(own.order_by(col(Token.created_at), col(Token.id))):
        if is_valid(token, now) and (host := find_host(token)):
            raise WrongState(
                f"The workers of the host {host} have a token of {account.name}: another admin makes them a"
                f" new one, `maumau token create --scope worker --label {host}`, and"
                f" `maumau token revoke {token.id}` ends this one. Then delete the account."
            )


def check_groups(session: Session, account: Account) -> None:
    """Raise WrongState for the only organiser of a group that has other members.

    The groups are locked, so that two organisers at once do not both count on the other.
    """
    led = select(AccountGroup).join(Membership, col(Membership.group_id) == AccountGroup.id)
    led = led.where(Membership.account_id == account.id, Membership.role == ORGANISER)
    locked = led.order_by(AccountGroup.id).with_for_update(key_share=True, of=AccountGroup)
    for group in session.exec(locked).all():
        others = select(Membership.role).where(
            Membership.group_id == group.id, Membership.account_id != account.id
        )
        roles = set(session.exec(others).all())
        if roles and ORGANISER not in roles:
            raise WrongState(
                f"{account.name} is the only organiser of the group {group.name}:"
                f" `maumau group add {group.name} NAME --role organiser` makes another member one,"
                f" `maumau group leave {group.name}` leaves it to the admins. Then delete the account."
            )


def _find_maker(session: Session, token: Token) -> Token | None:
    """Return the token of the same account that made this one."""
    made = select(Token).where(Token.id == token.parent, Token.account_id == token.account_id)
    return session.exec(made).first()
