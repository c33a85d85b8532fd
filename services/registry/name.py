"""Names that accounts and bots may have, and what to say about one that is not known. Pure."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from maumau.errors import BadName
from services.shared.auth import OWN

HOUSE = OWN[0]
"""The account whose programs are the platform's own; only an admin opens it."""

ACCOUNT = re.compile(r"[a-z0-9-]{3,32}")
BOT = re.compile(r"[a-z0-9_-]{2,40}")


def check_account(name: str) -> str:
    if not ACCOUNT.fullmatch(name):
        words = f"{name[:80]!r} cannot be an account's name: it is 3 to 32 of a-z, 0-9 and -."
        raise BadName(words, field="name")
    return name


def check_bot(name: str) -> str:
    """Only small letters, so that no two names differ in case alone."""
    if not BOT.fullmatch(name):
        words = f"{name[:80]!r} cannot be a bot's name: it is 2 to 40 of a-z, 0-9, - and _."
        raise BadName(words, field="name")
    return name


def near(name: str, known: Iterable[str]) -> str:
    """The end of a sentence that says what there is: the names most like this one, else some of them."""
    names = sorted(known)
    if not names:
        return "there is none yet"
    if like := get_close_matches(name.lower(), names, 3, 0.6):
        return f"near it: {', '.join(like)}"
    return f"known: {', '.join(names[:10])}" + (" and others" if len(names) > 10 else "")
