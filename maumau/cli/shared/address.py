"""The address of an arena as people write it, and the ports of its services.

An address may name all ports. Those that it does not name are asked of the arena, which needs no token: of
its page, or of its registry. Where the arena does not tell them (an earlier release, or an operator who has
not set MAUMAU_SERVICES_URL), they are guessed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from maumau.errors import BadArena

URL = re.compile(
    r"(?:(https?)://)?([A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\])(?::(\d{1,5})(?:,(\d{1,5}))?(?:,(\d{1,5}))?(?:,(\d{1,5}))?)?/?"
)
BY_PORT = ("registry", "tournament", "engine", "matchmaking")
"""The services in the order in which an address has their ports."""
PORTS = (7101, 7102, 7103, 7104)
PAGE_PORT = "7100"
MOST_PORT = 65535


class Address(NamedTuple):
    """An arena's address. scheme: as written, or empty. ports: by service. guessed: whose port is a guess."""

    scheme: str
    host: str
    ports: dict[str, str]
    guessed: tuple[str, ...] = ()

    @property
    def is_tls(self) -> bool:
        """True if the services are called with TLS."""
        return self.scheme == "https"


def read_address(text: str) -> Address:
    """Return the address that a text is, with the ports of all services; raise BadArena if it is none."""
    parts = URL.fullmatch(text)
    if not parts or any(int(number) > MOST_PORT for number in parts.group(3, 4, 5, 6) if number):
        raise BadArena(f"{text!r}: {BadArena.__doc__}")
    scheme, host, *given = parts.groups()
    ports, guessed = _find_ports(scheme or "", host, given)
    return Address(scheme or "", host, dict(zip(BY_PORT, ports, strict=True)), guessed)


def _find_ports(scheme: str, host: str, given: list[str | None]) -> tuple[list[str], tuple[str, ...]]:
    """Return the ports, and the services whose port is a guess; none if there is no arena to ask."""
    named = [number for number in given if number]
    if len(named) == len(BY_PORT):
        return named, ()
    from maumau.cli.shared import told_address  # its imports would slow down every command

    is_tls = scheme == "https"
    page: str | None = ""
    if len(named) == 1 and not is_tls:  # browsers show the page's address without http://
        page = told_address.ask_page(f"http://{host}:{named[0]}")
        if found := _read_told(page or "", "http"):
            return found, ()
        if page is None and named[0] == PAGE_PORT:
            raise _not_an_arena(host, named[0])
    # a TLS proxy sends each call to its service: one port is enough
    ports = _shared_ports(*given) if is_tls else _plain_ports(*given)
    told = told_address.ask_registry(f"{host}:{ports[0]}", tls=is_tls)
    if told is None and page is None:
        raise _not_an_arena(host, ports[0])
    found = _read_told(told or "", "https" if is_tls else "http")
    if found and found[0] == ports[0]:  # else they are those of another way to this arena
        return found, ()
    return ports, () if told is None else BY_PORT[max(len(named), 1) :]


def _not_an_arena(host: str, port: str) -> BadArena:
    return BadArena(
        f"Another program answers at http://{host}:{port}, and this is not an arena: `maumau up` prints the"
        " address of one."
    )


def _read_told(told: str, scheme: str) -> list[str]:
    """Return the ports of an address that an arena tells; none if it is called otherwise.

    Its host does not count: the caller has reached the arena by another name, or through a tunnel.
    """
    parts = URL.fullmatch(told)
    if not parts or parts[1] != scheme:
        return []
    given = parts.group(3, 4, 5, 6)
    return _shared_ports(*given) if scheme == "https" else _plain_ports(*given)


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
    if int(ports[-1]) > MOST_PORT:
        raise BadArena(f"No ports follow {first}: {BadArena.__doc__}")
    return ports
