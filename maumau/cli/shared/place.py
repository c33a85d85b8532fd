"""The arena of a command, and the token for it.

In this order: `--arena`, `MAUMAU_ARENA`, the arena whose data folder is `MAUMAU_DATA`, `./.maumau` or the
user's, the arena logged in to last. The token: `MAUMAU_TOKEN`, that of the login, on the arena's own machine
its admin token.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from maumau.cli.shared import login, nonce
from maumau.cli.shared.address import BY_PORT, read_address
from maumau.errors import BadArena, MaumauError, MissingExtra, NoArena
from maumau.process.extra import say_install
from maumau.process.loopback import is_loopback

if TYPE_CHECKING:
    from maumau.client.answer import Action
    from maumau.client.arena import Arena
    from maumau.client.arena_status import ArenaStatus
    from maumau.client.live import Tables
    from maumau.client.matchmaking import Matchmaking
    from maumau.client.seek import Seeks

SERVICES = ("registry", "tournament", "matchmaking", "engine")
PATIENCE = 3.0
WITH_ACTIONS = ("registry", "tournament", "matchmaking")  # services that keep a log of admins' actions


class ArenaPlace(msgspec.Struct, frozen=True):
    """An arena: a name to keep its token under, its addresses, the token, the folder if it is a local one."""

    name: str
    registry: str
    tournament: str
    tls: bool = False
    """True if it is called with TLS."""
    plain: bool = True
    """True if a token may be sent in plain text: on this machine, or after an explicit `http://`."""
    token: str = ""
    folder: Path | None = None
    engine: str = ""
    matchmaking: str = ""
    guessed: tuple[str, ...] = ()
    """The services whose port nobody named and the arena does not tell."""
    given: str = ""
    """The address as it was typed, if one was."""


class _Card(msgspec.Struct):
    """The part of `arena.json` that clients need."""

    registry: str
    tournament: str
    token: str
    pid: int
    engine: str = ""
    matchmaking: str = ""


def connect_arena(arena: str | None) -> Arena:
    """Return a client of the chosen arena, after revealing the nonces that are due."""
    found = find_arena(arena)
    link = open_at(found, choose_token(found))
    nonce.open_kept(link)
    return link


def meet_arena(arena: str | None) -> tuple[ArenaPlace, str]:
    """Return the arena that is meant and the token, having opened the nonces that may be opened by now.

    For commands that talk to other services than `connect` does: any command shows that its author is there.
    """
    found = find_arena(arena)
    secret = choose_token(found)
    open_nonces(found, secret)
    return found, secret


def open_nonces(place: ArenaPlace, secret: str) -> None:
    """Open the nonces that may be opened by now; what the arena refuses stops nothing."""
    if nonce.has_kept(place.name):
        with suppress(MaumauError), open_at(place, secret) as link:
            nonce.open_kept(link)


def open_at(place: ArenaPlace, token: str, patience: float = PATIENCE) -> Arena:
    """Return a client of this arena. Raises MissingExtra where grpc is not installed, BadArena.

    patience: seconds that the arena may be silent.
    """
    _check_encrypted(place, token)
    with _require_extra():
        from maumau.client.arena import Arena
    hint = hint_at_guess(place, "tournament")
    return Arena(
        place.registry, place.tournament, token, tls=place.tls, patience=patience, name=place.name, hint=hint
    )


def connect_tables(arena: str | None) -> Tables:
    """Return a client of the arena's engine service. Raise MissingExtra, NoArena."""
    found, secret = meet_arena(arena)
    with _require_extra():
        from maumau.client.live import Tables
    hint = hint_at_guess(found, "engine")
    return Tables(require_address(found, "engine"), secret, tls=found.tls, hint=hint)


def connect_matchmaking(arena: str | None) -> Matchmaking:
    """Return a client of the arena's matchmaking service. Raise MissingExtra, NoArena."""
    found, secret = meet_arena(arena)
    with _require_extra():
        from maumau.client.matchmaking import Matchmaking
    hint = hint_at_guess(found, "matchmaking")
    return Matchmaking(require_address(found, "matchmaking"), secret, tls=found.tls, hint=hint)


def connect_seeks(arena: str | None) -> Seeks:
    """Return the service as players of live tables use it. Raise MissingExtra, NoArena."""
    found, secret = meet_arena(arena)
    with _require_extra():
        from maumau.client.seek import Seeks
    hint = hint_at_guess(found, "matchmaking")
    return Seeks(require_address(found, "matchmaking"), secret, tls=found.tls, hint=hint)


def list_actions(arena: str | None, most: int, before: str) -> list[Action]:
    """Return the calls of admins to the arena's services, as `newest` does. Raise MissingExtra."""
    found, secret = meet_arena(arena)
    with _require_extra():
        from maumau.client import action
    return action.read_newest_actions(
        _known_addresses(found, WITH_ACTIONS), secret, most, before, tls=found.tls
    )


def arena_status(arena: str | None) -> ArenaStatus:
    """Return the status of the arena's services. Raise MissingExtra, and the errors of reading them."""
    found, secret = meet_arena(arena)
    with _require_extra():
        from maumau.client.status import read_arena_status
    return read_arena_status(_known_addresses(found, SERVICES), secret, tls=found.tls)


def write_local_address(found: ArenaPlace) -> str:
    """Return the words for --arena with which this user finds it again: its folder, or its shared address."""
    return str(found.folder) if found.folder else write_shared_address(found)


def write_typed_address(found: ArenaPlace) -> str:
    """Return the words for --arena as they were typed; where none were, the local address."""
    return write_local_address(found) if found.folder or not found.given else found.given


def write_shared_address(found: ArenaPlace) -> str:
    """Return the words for --arena with which a command on another machine, or of another user, finds it.

    An arena that listens on this machine alone is found on this machine alone. One with a folder here tells
    the ports of its other services. Ports that are guesses are left out: perhaps they are told by then.
    """
    named = ("registry",) if found.folder else BY_PORT
    services = [getattr(found, name) for name in named if name not in found.guessed]
    return _write_url(found, (address.rpartition(":")[2] for address in services if address))


def hint_at_guess(found: ArenaPlace, service: str) -> str:
    """Return the words for an error of a service whose port is a guess; an empty string for any other."""
    if service not in found.guessed:
        return ""
    ports = (
        name.upper() if name in found.guessed else getattr(found, name).rpartition(":")[2] for name in BY_PORT
    )
    return f"its port is a guess, as the arena does not tell it: name all, --arena {_write_url(found, ports)}"


def _write_url(found: ArenaPlace, ports: Iterable[str]) -> str:
    host = found.registry.rpartition(":")[0]
    return f"{'https' if found.tls else 'http'}://{host}:{','.join(ports)}"


def _known_addresses(found: ArenaPlace, services: Iterable[str]) -> dict[str, str]:
    """Return host:port by service, of those that are known."""
    return {name: address for name in services if (address := getattr(found, name))}


@contextmanager
def _require_extra() -> Iterator[None]:
    """Raise MissingExtra in place of an ImportError."""
    try:
        yield
    except ImportError as error:
        missing = error.name or "grpc"
        raise MissingExtra(
            f"this command talks to an arena and {missing} is not installed: {say_install('arena')}"
        ) from None


def require_address(place: ArenaPlace, service: str) -> str:
    """Return the address of a service; raise NoArena if the arena's version does not have it."""
    address: str = getattr(place, service)
    if not address:
        raise NoArena(f"the arena {place.name} has no {service} service; start it anew with this version")
    return address


def choose_token(place: ArenaPlace) -> str:
    """Return the token to use there; empty if there is none. Raises BadArena."""
    found = os.environ.get("MAUMAU_TOKEN") or login.token_in_use(place.name) or place.token
    _check_encrypted(place, found)
    return found


def is_own_token(arena: str | None) -> bool:
    """Return True if commands act with the token that the arena on this machine keeps in its folder."""
    found = find_arena(arena)
    return bool(found.token) and choose_token(found) == found.token


def say_own_admin(words: Sequence[str]) -> str:
    """Return the commands that make this machine's user the admin of its own arena, if a login hides that.

    words: of the command that was refused.
    """
    with suppress(MaumauError):
        found = find_of_command(words)
        if not found.token or choose_token(found) == found.token:
            return ""
        if os.environ.get("MAUMAU_TOKEN"):
            return "This is your own arena: without MAUMAU_TOKEN and a login you are its admin."
        account = login.find_account(found.name)
        back = f", and `maumau login --as {account}` logs in again" if account else ""
        return f"This is your own arena: after `maumau logout` you are its admin{back}."
    return ""


def say_kept_accounts(words: Sequence[str]) -> str:
    """Return the command that logs in again with a token kept on this computer; empty if there is none.

    words: of the command that was refused.
    """
    with suppress(MaumauError):
        found = find_of_command(words)
        if accounts := ", ".join(sorted(login.list_accounts(found.name))):
            return f"Kept on this computer: {accounts}; `maumau login --as NAME` uses one."
    return ""


def find_of_command(words: Sequence[str]) -> ArenaPlace:
    """Return the arena that a command names, or else its default one."""
    return find_arena(read_arena_option(words) or None)


def read_arena_option(words: Sequence[str]) -> str:
    """Return the value of --arena in a command's words; an empty string without one."""
    named = [
        value or "".join(words[at + 1 : at + 2])
        for at, word in enumerate(words)
        for name, _, value in [word.partition("=")]
        if name == "--arena"
    ]
    return named[-1] if named else ""


def _check_encrypted(place: ArenaPlace, token: str) -> None:
    """Raise BadArena before a token leaves this machine in plain text, unless that was requested."""
    if token and not place.tls and not place.plain:
        host = place.registry.rpartition(":")[0]
        raise BadArena(
            f"your token would go to {host} in plain text: write https://{host}, or http://{host} on a"
            " network that you trust"
        )


def find_arena(arena: str | None) -> ArenaPlace:
    """Return the chosen arena. Raises BadArena, NoArena."""
    text = arena or os.environ.get("MAUMAU_ARENA")
    if text:
        return _parse_arena(text)
    for folder in data_folders():
        if (folder / "arena.json").exists():
            return _read_local(folder)
    last = login.last_arena()
    if last:
        return find_kept(last)
    raise NoArena


def find_kept(name: str) -> ArenaPlace:
    """Return the arena whose tokens have this name, even if it announces another now. Raises BadArena."""
    found = _parse_arena(login.find_address(name) or name)
    return msgspec.structs.replace(found, name=name, given="")


def has_kept(name: str) -> bool:
    """Return False if tokens are kept under this name for the arena of a folder that is no more."""
    return "://" in name or Path(name, "arena.json").exists()


def data_folders() -> list[Path]:
    """Return the possible data folders of an embedded arena, the likeliest first."""
    given = os.environ.get("MAUMAU_DATA")
    return [Path(given)] if given else [Path(".maumau"), user_folder()]


def user_folder() -> Path:
    """Return the data folder of an installed maumau."""
    base = os.environ.get("XDG_DATA_HOME")
    return Path(base) / "maumau" if base else Path(typer.get_app_dir("maumau", roaming=False)) / "data"


def _parse_arena(text: str) -> ArenaPlace:
    for folder in (Path(text), Path(text, ".maumau")):  # a checkout is named as well as its data folder
        if (folder / "arena.json").is_file():
            return _read_local(folder)
    found = read_address(text)
    at = {service: f"{found.host}:{port}" for service, port in found.ports.items()}
    scheme = "https" if found.is_tls else "http"
    name = login.find_name(f"{scheme}://{at['registry']},{found.ports['tournament']}")
    plain = found.scheme == "http" or is_loopback(found.host)
    return ArenaPlace(
        name,
        at["registry"],
        at["tournament"],
        tls=found.is_tls,
        plain=plain,
        engine=at["engine"],
        matchmaking=at["matchmaking"],
        guessed=found.guessed,
        given=text,
    )


def _read_local(folder: Path) -> ArenaPlace:
    """Return the arena of a data folder; raise NoArena unless it runs."""
    path = folder.resolve()
    start = f"`maumau up --data {folder}` starts it"
    try:
        card = msgspec.json.decode((path / "arena.json").read_bytes(), type=_Card)
    except PermissionError:
        raise NoArena(f"the arena of {path} is somebody else's; name one with --arena") from None
    except (OSError, msgspec.DecodeError) as error:
        raise NoArena(f"{path / 'arena.json'} cannot be read ({error}); {start} anew") from None
    if not _is_running(card.pid):
        raise NoArena(f"the arena of {path} is not running; {start}")
    return ArenaPlace(
        str(path),
        card.registry,
        card.tournament,
        token=card.token,
        folder=path,
        engine=card.engine,
        matchmaking=card.matchmaking,
    )


def _is_running(pid: int) -> bool:
    if sys.platform == "win32":  # no arena runs there, and this call would end the process
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid > 0
