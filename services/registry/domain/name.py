"""Names of accounts and bots, and hints for unknown ones. Pure."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from maumau.errors import BadName
from maumau.protocol.manifest import BOT_NAME, NAME_TERMS
from services.shared.base.auth import OWN

HOUSE = OWN[0]
"""The account of the platform's own programs; only an admin opens it."""

PSEUDONYM = "deleted-"
"""The beginning of what deleted accounts are called; nobody chooses such a name."""

ACCOUNT = re.compile(r"[a-z0-9-]{3,32}")
ACCOUNT_START = re.compile(r"[a-z0-9-]{1,32}")


def build_pseudonym(account_id: str) -> str:
    """Return the name of an account once it is deleted."""
    return f"{PSEUDONYM}{account_id[-12:].lower()}"


def check_account(name: str) -> str:
    if not ACCOUNT.fullmatch(name):
        words = f"{name[:80]!r} cannot be an account's name: it is 3 to 32 of a-z, 0-9 and -."
        raise BadName(words, field="name")
    return _check_no_pseudonym(name)


def check_group(name: str) -> str:
    if not ACCOUNT.fullmatch(name):
        words = f"{name[:80]!r} cannot be a group's name: it is 3 to 32 of a-z, 0-9 and -."
        raise BadName(words, field="group_name")
    return name


def check_team(name: str) -> str:
    if not ACCOUNT.fullmatch(name):
        words = f"{name[:80]!r} cannot be a team's name: it is 3 to 32 of a-z, 0-9 and -."
        raise BadName(words, field="name")
    return _check_no_pseudonym(name)


def _check_no_pseudonym(name: str) -> str:
    if name.startswith(PSEUDONYM):
        raise BadName(f"Names that begin with {PSEUDONYM} stand for deleted accounts.", field="name")
    return name


def check_bot(name: str) -> None:
    """Raise BadName if no new bot may have this name. Names are in lower case: none differ only in case."""
    if not BOT_NAME.fullmatch(name):
        raise BadName(f"{name[:80]!r} cannot be a bot's name: it is {NAME_TERMS}.", field="name")


def list_near(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence with known names: those most like this one, else some of them."""
    names = sorted(known)
    if not names:
        return "there is none yet"
    if like := get_close_matches(name.lower(), names, 3, 0.6):
        return f"near it: {', '.join(like)}"
    return f"known: {', '.join(names[:10])}" + (" and others" if len(names) > 10 else "")
