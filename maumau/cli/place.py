"""Which arena a command means, and with which token.

In this order: `--arena`, `MAUMAU_ARENA`, the arena whose data folder is `MAUMAU_DATA`, `./.maumau` or the
user's, the arena logged in to last. The token: `MAUMAU_TOKEN`, that of the login, on the arena's own machine
its admin token.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from maumau.cli import login, nonce
from maumau.errors import BadArena, MissingExtra, NoArena

if TYPE_CHECKING:
    from maumau.answer import Action
    from maumau.arena_status import ArenaStatus
    from maumau.client import Arena
    from maumau.live import Tables
    from maumau.matchmaking import Matchmaking
    from maumau.seek import Seeks

URL = re.compile(
    r"(?:(https?)://)?([A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\])(?::(\d{1,5})(?:,(\d{1,5}))?(?:,(\d{1,5}))?(?:,(\d{1,5}))?)?/?"
)
PORTS = (7101, 7102, 7103, 7104)
SERVICES = ("registry", "tournament", "matchmaking", "engine")
WITH_ACTIONS = ("registry", "tournament", "matchmaking")  # services that keep a log of admins' actions


class Place(msgspec.Struct, frozen=True):
    """An arena: a name to keep its token under, its addresses, the token, the folder if it is a local one."""

    name: str
    registry: str
    tournament: str
    tls: bool = False
    """Whether it is asked with TLS."""
    plain: bool = True
    """Whether a token may be sent in plain text: on this machine, or where `http://` was written."""
    token: str = ""
    folder: Path | None = None
    engine: str = ""
    matchmaking: str = ""


class _Card(msgspec.Struct):
    """What a client reads of `arena.json`."""

    registry: str
    tournament: str
    token: str
    pid: int
    engine: str = ""
    matchmaking: str = ""


def connect(arena: str | None) -> Arena:
    """A client of the arena that is meant. It has opened the nonces that may be opened by now."""
    found = find(arena)
    link = open_at(found, token(found))
    nonce.open_kept(link)
    return link


def open_at(place: Place, token: str) -> Arena:
    """A client of this arena. Raises MissingExtra where grpc is not installed, BadArena."""
    _check_encrypted(place, token)
    try:
        from maumau.client import Arena
    except ImportError as error:
        raise _missing(error) from None
    return Arena(place.registry, place.tournament, token, tls=place.tls, name=place.name)


def tables(arena: str | None) -> Tables:
    """A client of the engine service of the arena that is meant. Raises MissingExtra, NoArena."""
    found = find(arena)
    if not found.engine:
        raise NoArena(f"the arena {found.name} has no engine service; start it anew with this version")
    try:
        from maumau.live import Tables
    except ImportError as error:
        raise _missing(error) from None
    return Tables(found.engine, token(found), tls=found.tls)


def matchmaking(arena: str | None) -> Matchmaking:
    """A client of the matchmaking service of the arena that is meant. Raises MissingExtra, NoArena."""
    found = find(arena)
    if not found.matchmaking:
        raise NoArena(f"the arena {found.name} has no matchmaking service; start it anew with this version")
    try:
        from maumau.matchmaking import Matchmaking
    except ImportError as error:
        raise _missing(error) from None
    return Matchmaking(found.matchmaking, token(found), tls=found.tls)


def seeks(arena: str | None) -> Seeks:
    """The same service, as those ask it who play live. Raises MissingExtra, NoArena."""
    found = find(arena)
    if not found.matchmaking:
        raise NoArena(f"the arena {found.name} has no matchmaking service; start it anew with this version")
    try:
        from maumau.seek import Seeks
    except ImportError as error:
        raise _missing(error) from None
    return Seeks(found.matchmaking, token(found), tls=found.tls)


def actions(arena: str | None, most: int, before: str) -> list[Action]:
    """What admins asked of the services of the arena that is meant: docs of `newest`. Raises MissingExtra."""
    found = find(arena)
    try:
        from maumau import action
    except ImportError as error:
        raise _missing(error) from None
    return action.newest(_addresses(found, WITH_ACTIONS), token(found), most, before, tls=found.tls)


def arena_status(arena: str | None) -> ArenaStatus:
    """How the services of the arena that is meant are. Raises MissingExtra, and what reading them raises."""
    found = find(arena)
    try:
        from maumau.status import read_arena_status
    except ImportError as error:
        raise _missing(error) from None
    return read_arena_status(_addresses(found, SERVICES), token(found), tls=found.tls)


def _addresses(found: Place, services: Iterable[str]) -> dict[str, str]:
    """host:port by service, of those that are known."""
    return {name: address for name in services if (address := getattr(found, name))}


def _missing(error: ImportError) -> MissingExtra:
    return MissingExtra(
        f"this command talks to an arena and {error.name or 'grpc'} is not installed:"
        " pip install 'maumau-arena[arena]'"
    )


def token(place: Place) -> str:
    """The token to use there; empty if there is none. Raises BadArena."""
    found = os.environ.get("MAUMAU_TOKEN") or login.token(place.name) or place.token
    _check_encrypted(place, found)
    return found


def _check_encrypted(place: Place, token: str) -> None:
    """No token leaves this machine in plain text unless that was asked for."""
    if token and not place.tls and not place.plain:
        host = place.registry.rpartition(":")[0]
        raise BadArena(
            f"your token would go to {host} in plain text: write https://{host}, or http://{host} on a"
            " network that you trust"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def find(arena: str | None) -> Place:
    """The arena that is meant. Raises BadArena, NoArena."""
    text = arena or os.environ.get("MAUMAU_ARENA")
    if text:
        return _named(text)
    for folder in data_folders():
        if (folder / "arena.json").exists():
            return _local(folder)
    last = login.last()
    if last:
        return _named(last)
    raise NoArena


def data_folders() -> list[Path]:
    """Where the data of an embedded arena may be, the likeliest first."""
    given = os.environ.get("MAUMAU_DATA")
    return [Path(given)] if given else [Path(".maumau"), user_folder()]


def user_folder() -> Path:
    """The data folder of an installed maumau."""
    base = os.environ.get("XDG_DATA_HOME")
    return Path(base) / "maumau" if base else Path(typer.get_app_dir("maumau", roaming=False)) / "data"


def _named(text: str) -> Place:
    if (Path(text) / "arena.json").is_file():
        return _local(Path(text))
    parts = URL.fullmatch(text)
    if not parts or any(int(number) > 65535 for number in parts.group(3, 4, 5, 6) if number):
        raise BadArena(f"{text!r}: {BadArena.__doc__}")
    scheme, host, *given = parts.groups()
    tls = scheme == "https"
    # behind TLS stands a proxy, which sends each call to its service: one port is enough
    ports = _plain_ports(*given) if not tls else _shared_ports(*given)
    name = f"{'https' if tls else 'http'}://{host}:{ports[0]},{ports[1]}"
    registry, tournament, engine, matchmaking = (f"{host}:{port}" for port in ports)
    plain = scheme == "http" or _is_loopback(host)
    return Place(name, registry, tournament, tls, plain, engine=engine, matchmaking=matchmaking)


def _shared_ports(*given: str | None) -> list[str]:
    """Those given; each of the others is the one before."""
    ports: list[str] = []
    for number in given:
        ports.append(number or (ports[-1] if ports else "443"))
    return ports


def _plain_ports(*given: str | None) -> list[str]:
    """Those given; each of the others is the one after the one before."""
    if not given[0]:
        return [str(port) for port in PORTS]
    ports = [given[0]]
    for number in given[1:]:
        ports.append(number or str(int(ports[-1]) + 1))
    return ports


def _local(folder: Path) -> Place:
    """The arena of a data folder, if it runs."""
    path = folder.resolve()
    start = f"`maumau up --data {folder}` starts it"
    try:
        card = msgspec.json.decode((path / "arena.json").read_bytes(), type=_Card)
    except PermissionError:
        raise NoArena(f"the arena of {path} is somebody else's; name one with --arena") from None
    except (OSError, msgspec.DecodeError) as error:
        raise NoArena(f"{path / 'arena.json'} cannot be read ({error}); {start} anew") from None
    if not _lives(card.pid):
        raise NoArena(f"the arena of {path} is not running; {start}")
    return Place(
        str(path), card.registry, card.tournament, token=card.token, folder=path, engine=card.engine,
        matchmaking=card.matchmaking,
    )  # fmt: skip


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid > 0
