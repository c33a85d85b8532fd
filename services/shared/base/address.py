"""The address that a call comes from: that of its peer, or the one named by a trusted proxy.

Limits count by it: it is an IPv4 address, or the /64 of an IPv6 one, within which a single machine can use
any number of addresses.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import NamedTuple

from services.shared.base.peer import Network, cut_ip, is_in_networks, read_ip, read_peer

FORWARDED = "x-forwarded-for"
SITE_PREFIX = 48  # leading bits of an IPv6 address that identify a site


class Address(NamedTuple):
    """An address as counted by limits.

    block: such as `192.0.2.7` or `2001:db8:0:1::`. site: the /48 of an IPv6 address, which has 65,536 blocks;
    "" for any other.
    """

    block: str
    site: str = ""


_caller: ContextVar[Address | None] = ContextVar("address", default=None)


def caller_address() -> Address:
    """Return the address of the call being handled, an empty one outside of a call."""
    return _caller.get() or Address("")


def set_caller_address(address: Address) -> None:
    """Set the address of the call that is handled from here on."""
    _caller.set(address)


def find_address(peer: str, forwarded: str, trusted: Sequence[Network]) -> Address:
    """Return the caller's address.

    Args:
        peer: as gRPC has it, such as `ipv4:192.0.2.7:4711` or `ipv6:%5B::1%5D:4711`.
        forwarded: the header that proxies append to, read from its end as far as trusted proxies wrote it:
            the caller may have sent anything before that.
        trusted: the proxies' networks.
    """
    found = read_peer(peer)
    ip = read_ip(found.host) if found else None
    if ip is None:  # a unix socket
        return Address(peer.partition(":")[0] or "unknown")
    for text in reversed(forwarded.split(",") if forwarded else []):
        named = read_ip(_strip_port(text.strip())) if is_in_networks(ip, trusted) else None
        if named is None:
            break
        ip = named
    return Address(cut_ip(ip), cut_ip(ip, SITE_PREFIX) if ip.version == 6 else "")


def _strip_port(text: str) -> str:
    """Return the address of a header's entry, which may have a port and brackets."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text
