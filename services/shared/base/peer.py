"""Callers' addresses, in one form for gRPC, sockets and HTTP."""

import ipaddress
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

SOURCE_PREFIX = 64
"""Leading bits of an IPv6 address that identify a machine: it chooses the rest freely."""

MOST_PORT = 65_535
REMEMBERED_HOSTS = 20_000  # all connections are looked at again and again

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Peer(NamedTuple):
    """The caller's end of a connection."""

    host: str
    port: int


def read_peer(text: str) -> Peer | None:
    """Return the peer that gRPC writes as `ipv4:127.0.0.1:4711` or `ipv6:%5B::1%5D:4711`, if it is one."""
    kind, _, rest = unquote(text).partition(":")
    host, _, port = rest.rpartition(":")
    if kind not in {"ipv4", "ipv6"} or not port.isdigit():
        return None
    return make_peer(host.strip("[]"), int(port))


def make_peer(host: str, port: int) -> Peer:
    """Return a peer with its host in canonical form: IPv4 in IPv6 as IPv4, and no scope."""
    found = read_ip(host)
    return Peer(str(found) if found else host, port)


def read_ip(text: str) -> Ip | None:
    """Return the address that a text is, its scope left out and IPv4 in IPv6 as IPv4; None for any other."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


_read_host = lru_cache(REMEMBERED_HOSTS)(read_ip)


def cut_ip(ip: Ip, prefix: int = SOURCE_PREFIX) -> str:
    """Return an IPv4 address as it is, and the first address of the network of an IPv6 address."""
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    return str(ipaddress.ip_network((ip, prefix), strict=False).network_address)


@lru_cache(REMEMBERED_HOSTS)
def find_source(host: str) -> str:
    """Return the unit by which limits count: the IPv4 address, or the network of an IPv6 address."""
    found = read_ip(host)
    return cut_ip(found) if found else host


def read_networks(text: str) -> tuple[Network, ...]:
    """Return the networks of a list of addresses and networks; ValueError if a word is neither."""
    return tuple(ipaddress.ip_network(word) for word in text.replace(",", " ").split())


def read_ports(text: str) -> frozenset[int]:
    """Return the ports of a list of ports and ranges such as `443 8000-8999`; ValueError if there is none."""
    found: set[int] = set()
    for word in text.replace(",", " ").split():
        first, _, last = word.partition("-")
        ports = range(int(first), int(last or first) + 1)
        if not ports or ports[0] < 1 or ports[-1] > MOST_PORT:
            raise ValueError(word)
        found.update(ports)
    if not found:
        raise ValueError(text)
    return frozenset(found)


def match_networks(networks: tuple[Network, ...]) -> Callable[[str], bool]:
    """Return a function that tells whether a host lies in one of the networks."""

    def is_inside(host: str) -> bool:
        found = _read_host(host)
        return found is not None and is_in_networks(found, networks)

    return is_inside


def is_in_networks(ip: Ip, networks: Iterable[Network]) -> bool:
    """Return True if an address lies in one of the networks."""
    return any(ip in network for network in networks)
