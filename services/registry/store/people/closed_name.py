"""Names of deleted accounts, by their SHA-256 alone, which are given to nobody any more."""

import hashlib

from sqlmodel import Session

from maumau.errors import NameTaken
from services.registry.models import Account, ClosedName


def hash_name(name: str) -> str:
    """Return the SHA-256 of an account's name, in hex."""
    return hashlib.sha256(f"account {name}".encode()).hexdigest()


def check_not_closed(session: Session, name: str) -> None:
    """Raise NameTaken for the name of a deleted account."""
    if session.get(ClosedName, hash_name(name)):
        raise NameTaken(
            f"The account {name} was deleted; its name is not given out again. Choose another name."
        )


def add_account(session: Session, account: Account) -> None:
    """Add an account, or a team's; raise NameTaken for the name of a deleted one.

    Its insertion waits for a deletion that is under way, so that the name is checked again after it.
    """
    check_not_closed(session, account.name)
    session.add(account)
    session.flush()
    check_not_closed(session, account.name)
