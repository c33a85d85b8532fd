"""Addresses of the machine itself."""

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Return True if this host, a name or an address in brackets or without, is the machine itself."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def is_own_address(url: str) -> bool:
    """Return True if only this machine can open this address of a page."""
    return is_loopback(urlsplit(url).hostname or "")
