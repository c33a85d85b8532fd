"""The arena of a command, and the token for it.

In this order: `--arena`, `MAUMAU_ARENA`, the arena whose data folder is `MAUMAU_DATA`, `./.maumau` or the
user's, the arena logged in to last. The token: `MAUMAU_TOKEN`, that of the login, on the arena's own machine
its admin token.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from maumau.cli.shared import login, nonce
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

URL = re.compile(
    r"(?:(https?)://)?([A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\])(?::(\d{1,5})(?:,(\d{1,5}))?(?:,(\d{1,5}))?(?:,(\d{1,5}))?)?/?"
)
PORTS = (7101, 7102, 7103, 7104)
PAGE_PORT = "7100"
SERVICES = ("registry", "tournament", "matchmaking", "engine")
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


def open_at(place: ArenaPlace, token: str) -> Arena:
    """Return a client of this arena. Raises MissingExtra where grpc is not installed, BadArena."""
    _check_encrypted(place, token)
    with _require_extra():
        from maumau.client.arena import Arena
    return Arena(place.registry, place.tournament, token, tls=place.tls, name=place.name)


def connect_tables(arena: str | None) -> Tables:
    """Return a client of the arena's engine service. Raise MissingExtra, NoArena."""
    found, secret = meet_arena(arena)
    with _require_extra():
        from maumau.client.live import Tables
    return Tables(require_address(found, "engine"), secret, tls=found.tls)


def connect_matchmaking(arena: str | None) -> Matchmaking:
    """Return a client of the arena's matchmaking service. Raise MissingExtra, NoArena."""
    found, secret = meet_arena(arena)
    with _require_extra():
        from maumau.client.matchmaking import Matchmaking
    return Matchmaking(require_address(found, "matchmaking"), secret, tls=found.tls)


def connect_seeks(arena: str | None) -> Seeks:
    """Return the service as players of live tables use it. Raise MissingExtra, NoArena."""
    found, secret = meet_arena(arena)
    with _require_extra():
        from maumau.client.seek import Seeks
    return Seeks(require_address(found, "matchmaking"), secret, tls=found.tls)


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


def write_address(found: ArenaPlace) -> str:
    """Return the words for --arena with which a command on another machine, or of another user, finds it.

    An arena that listens on this machine alone is found on this machine alone.
    """
    scheme = "https" if found.tls else "http"
    host = found.registry.rpartition(":")[0]
    services = (found.registry, found.tournament, found.engine, found.matchmaking)
    ports = ",".join(address.rpartition(":")[2] for address in services if address)
    return f"{scheme}://{host}:{ports}"


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
        return _parse_arena(login.find_address(last) or last)
    raise NoArena


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
    parts = URL.fullmatch(text)
    if not parts or any(int(number) > 65535 for number in parts.group(3, 4, 5, 6) if number):
        raise BadArena(f"{text!r}: {BadArena.__doc__}")
    scheme, host, *given = parts.groups()
    tls = scheme == "https"
    if scheme == "http" and given[0] and not given[1]:
        given = _ask_ports(text) or given
    # a TLS proxy sends each call to its service: one port is enough
    ports = _plain_ports(*given) if not tls else _shared_ports(*given)
    name = f"{'https' if tls else 'http'}://{host}:{ports[0]},{ports[1]}"
    registry, tournament, engine, matchmaking = (f"{host}:{port}" for port in ports)
    plain = scheme == "http" or is_loopback(host)
    return ArenaPlace(name, registry, tournament, tls, plain, engine=engine, matchmaking=matchmaking)


def _ask_ports(url: str) -> list[str | None] | None:
    """Return the ports of the services if this is the address of an arena's page, else None."""
    from maumau.cli.shared.page_address import ask_page  # its imports would slow every command down

    found = URL.fullmatch(ask_page(url))
    return list(found.group(3, 4, 5, 6)) if found and found[1] == "http" else None


def _shared_ports(*given: str | None) -> list[str]:
    """Return the ports; a missing one is the one before."""
    ports: list[str] = []
    for number in given:
        ports.append(number or (ports[-1] if ports else "443"))
    return ports


def _plain_ports(first: str | None = None, *others: str | None) -> list[str]:
    """Return the ports given; each of the others is the one after the one before.

    The page's port stands for the usual four: its address is the one that people see.
    """
    if not first or (first == PAGE_PORT and not any(others)):
        return [str(port) for port in PORTS]
    ports = [first]
    for number in others:
        ports.append(number or str(int(ports[-1]) + 1))
    return ports


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
