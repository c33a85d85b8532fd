"""The tokens of one's logins: a file that only its owner can read, in the user's configuration folder."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import typer

from maumau.errors import BadFile


class Logins(msgspec.Struct):
    """Tokens by the arena's name, and the arena of the last login."""

    last: str = ""
    tokens: dict[str, str] = {}


def path() -> Path:
    """Where the tokens are kept."""
    return Path(typer.get_app_dir("maumau")) / "tokens.json"


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
    try:
        return msgspec.json.decode(path().read_bytes(), type=Logins)
    except FileNotFoundError:
        return Logins()
    except (OSError, msgspec.DecodeError) as error:
        raise BadFile(f"{path()} cannot be read ({error}); delete it and log in again") from None


def _write(logins: Logins) -> None:
    try:
        path().parent.mkdir(parents=True, exist_ok=True)
        fresh = path().with_suffix(".new")
        with open(fresh, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(msgspec.json.encode(logins))
        fresh.replace(path())
    except OSError as error:
        raise BadFile(f"{path()} cannot be written: {error.strerror}") from None
