"""The tokens of one's logins: a file that only its owner can read, in the user's configuration folder."""

from __future__ import annotations

from pathlib import Path

import msgspec

from maumau.cli import kept

FILE = "tokens.json"


class Logins(msgspec.Struct):
    """Tokens by the arena's name, and the arena of the last login."""

    last: str = ""
    tokens: dict[str, str] = {}


def path() -> Path:
    """Where the tokens are kept."""
    return kept.path(FILE)


def token(arena: str) -> str:
    """The token for this arena; empty if there is none."""
    return _read().tokens.get(arena, "")


def last() -> str:
    """The address of the arena logged in to last; empty if there is none."""
    return _read().last


def keep(arena: str, token: str, *, remote: bool) -> None:
    """Keeps a token. An arena elsewhere becomes the one that is meant where none is named."""
    logins = _read()
    logins.tokens[arena] = token
    logins.last = arena if remote else logins.last
    _write(logins)


def forget(arena: str) -> bool:
    """Forgets an arena's token; whether there was one."""
    logins = _read()
    if arena not in logins.tokens:
        return False
    del logins.tokens[arena]
    logins.last = "" if logins.last == arena else logins.last
    _write(logins)
    return True


def _read() -> Logins:
    return kept.read(FILE, Logins, "delete it and log in again")


def _write(logins: Logins) -> None:
    kept.write(FILE, logins)
