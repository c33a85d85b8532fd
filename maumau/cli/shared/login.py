"""Tokens of logins: a file that only its owner can read, in the user's configuration folder."""

from __future__ import annotations

from pathlib import Path

import msgspec

from maumau.cli.shared import kept

FILE = "tokens.json"


class Logins(msgspec.Struct):
    """Tokens by arena.

    last: the arena logged in to last. tokens: the token in use, by arena. accounts: every token that is kept,
    by arena and account, whether in use or not; files written before there were accounts have none.
    addresses: the address with the ports of all services, by arena; names of arenas have those of two. Ports
    that were guesses are left out of it.
    """

    last: str = ""
    tokens: dict[str, str] = {}
    accounts: dict[str, dict[str, str]] = {}
    addresses: dict[str, str] = {}


def logins_path() -> Path:
    """Return the path of the file."""
    return kept.file_path(FILE)


def token_in_use(arena: str) -> str:
    """Return the token in use for this arena, or an empty string."""
    return _read_logins().tokens.get(arena, "")


def last_arena() -> str:
    """Return the arena logged in to last, or an empty string."""
    return _read_logins().last


def find_address(arena: str) -> str:
    """Return the address that an arena was logged in to by, or an empty string if it is unknown."""
    return _read_logins().addresses.get(arena, "")


def find_name(arena: str) -> str:
    """Return the name under which an arena's tokens are kept, another one if its ports have changed.

    A registry is the same one at the same address, whatever the ports of the other services are by now.
    """
    logins = _read_logins()
    known = [*reversed(logins.accounts), *logins.tokens]
    same = [name for name in (logins.last, *known) if is_same(name, arena)]
    return arena if arena in known or not same else same[0]


def find_elsewhere(arena: str) -> dict[str, dict[str, str]]:
    """Return the tokens kept for arenas at other ports of this one's host, by arena and account."""
    host, others = _find_host(arena), _read_logins().accounts
    return {name: tokens for name, tokens in others.items() if name != arena and _find_host(name) == host}


def _find_registry(arena: str) -> str:
    """Return `http://host:port` of an arena's name; a folder's is itself."""
    return arena.partition(",")[0] if "://" in arena else arena


def _find_host(arena: str) -> str:
    return _find_registry(arena).rpartition(":")[0] if "://" in arena else arena


def find_account(arena: str) -> str:
    """Return the account of the token in use, or an empty string if there is none or its name is unknown."""
    logins = _read_logins()
    used = logins.tokens.get(arena)
    return next((name for name, token in logins.accounts.get(arena, {}).items() if token == used), "")


def list_accounts(arena: str) -> dict[str, str]:
    """Return the tokens kept for this arena, by account; those under its own name count before others."""
    accounts = _read_logins().accounts
    others = [tokens for name, tokens in accounts.items() if is_same(name, arena)]
    return {
        account: token for tokens in (*others, accounts.get(arena, {})) for account, token in tokens.items()
    }


def is_same(arena: str, other: str) -> bool:
    """Return True if two names are of one arena: of one registry, whatever the other ports."""
    return _find_registry(arena) == _find_registry(other)


def find_arenas_of(account: str) -> list[str]:
    """Return the names of the arenas at which a token of this account is kept, one for each registry."""
    others = {
        _find_registry(name): name for name, tokens in _read_logins().accounts.items() if account in tokens
    }
    return list(others.values())


def list_arenas_in_use() -> list[str]:
    """Return the names of the arenas that have a token in use."""
    return list(_read_logins().tokens)


def keep_token(arena: str, account: str, token: str, address: str = "") -> None:
    """Keep an account's token and use it from now on; tokens of other accounts stay where they are.

    address: that of the services, kept if it is given.
    """
    logins = _read_logins()
    if address:
        logins.addresses[arena] = address
    logins.accounts.setdefault(arena, {})[account] = token
    logins.tokens[arena] = token
    logins.last = arena
    _write_logins(logins)


def keep_aside(arena: str, account: str, token: str) -> None:
    """Keep an account's token without using it."""
    logins = _read_logins()
    logins.accounts.setdefault(arena, {})[account] = token
    _write_logins(logins)


def leave_token(arena: str) -> None:
    """Stop using a token for this arena; those kept by account stay."""
    logins = _read_logins()
    logins.tokens.pop(arena, None)
    _write_logins(logins)


def forget_token(arena: str, account: str) -> None:
    """Delete an account's token for good, under every name of the arena."""
    logins = _read_logins()
    for name in [one for one in logins.accounts if is_same(one, arena)]:
        gone = logins.accounts[name].pop(account, "")
        if logins.tokens.get(name) == gone:
            del logins.tokens[name]
    _write_logins(logins)


def _read_logins() -> Logins:
    return kept.read_file(FILE, Logins, "delete it and log in again")


def _write_logins(logins: Logins) -> None:
    kept.write_file(FILE, logins)
