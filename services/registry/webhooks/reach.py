"""Addresses that webhooks may reach: public ones, and networks that the operator permits."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from services.registry.domain.webhook import Target
from services.shared.base.peer import Ip, Network, is_in_networks, read_ip

IPV6_PUBLIC = ipaddress.ip_network("2000::/3")
CLOSED = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.0.0.0/24",  # of protocols, and metadata of a cloud; in some releases of Python `is_global`
            "192.88.99.0/24",  # relays of 6to4
            "168.63.129.16/32",  # a cloud's service for the machine itself, though public by its number
            "2001::/23",  # of protocols: Teredo has an IPv4 address inside
            "2002::/16",  # 6to4, too
            "3fff::/20",  # examples
        ),
    )
)
"""Networks that Python's `is_global` lets through, in all releases or in some."""

LOOKUPS = 16  # threads that look up names, apart from those of calls: a name's server may be slow

Lookup = Callable[[str, int], Awaitable[Sequence[str]]]


CLOSED_WORDS = "its host is not a public address, and the arena tells no others"


class Forbidden(Exception):
    """The address is not permitted; the message says why, and nothing about the arena's network."""


class Reach(NamedTuple):
    """The permitted ports and networks. networks: permitted though not public."""

    ports: frozenset[int]
    networks: tuple[Network, ...] = ()

    def check_port(self, target: Target) -> None:
        """Raise Forbidden if the port is not one of those permitted."""
        if target.port not in self.ports:
            raise Forbidden(f"webhooks may not use port {target.port} here")

    def check_literal(self, target: Target) -> None:
        """Raise Forbidden if the host is an address that is not permitted."""
        if (ip := read_ip(target.host)) is not None:
            self.check_ip(target, ip)

    def check_ip(self, target: Target, ip: Ip) -> None:
        """Raise Forbidden unless this address is permitted."""
        if is_in_networks(ip, self.networks):
            return
        if not is_public(ip):
            raise Forbidden(CLOSED_WORDS)
        if target.scheme != "https":
            raise Forbidden("outside of the arena's own networks it must begin with https://")


def is_public(ip: Ip) -> bool:
    """Return True for an address of the open internet."""
    if is_in_networks(ip, CLOSED) or not ip.is_global or ip.is_multicast:
        return False
    return isinstance(ip, ipaddress.IPv4Address) or ip in IPV6_PUBLIC


class Resolver:
    """Lookups of names in threads of its own."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(LOOKUPS, "webhook-names")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses of a host, also if it is one in another spelling, such as `0x7f.1`."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _look_up, host, port)
        return list(dict.fromkeys(found))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


async def find_addresses(reach: Reach, target: Target, look_up: Lookup) -> list[str]:
    """Return the addresses to connect to; raise Forbidden if one of them is not permitted."""
    reach.check_port(target)
    addresses = await look_up(target.host, target.port)
    for text in addresses:
        ip = read_ip(text)
        if ip is None or "%" in text:
            raise Forbidden(CLOSED_WORDS)
        reach.check_ip(target, ip)
    return list(addresses)
