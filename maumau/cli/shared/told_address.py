"""The address that an arena tells of itself: at its page, whose address people see, or by its registry."""

from __future__ import annotations

import urllib.request
from contextlib import suppress
from http.client import HTTPException

import msgspec

from maumau.errors import MaumauError

PATIENCE = 3.0
MOST_BYTES = 65536


class _Index(msgspec.Struct):
    """The part of `/api/v1` that commands need."""

    arena: str = ""


def ask_page(url: str) -> str:
    """Return the words for --arena that a page gives, or an empty string if no page of an arena answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url.rstrip('/')}/api/v1", timeout=PATIENCE) as reply:
            return msgspec.json.decode(reply.read(MOST_BYTES), type=_Index).arena
    except (OSError, ValueError, msgspec.DecodeError, HTTPException):
        return ""


def ask_registry(address: str, *, tls: bool) -> str | None:
    """Return the words for --arena that the registry at host:port gives, empty if it does not tell them.

    Return None if no registry answers.
    """
    try:
        from maumau.client.arena import Arena
    except ImportError:  # the command itself says what is missing
        return None
    with suppress(MaumauError), Arena(address, address, tls=tls, patience=0) as link:
        return link.info(PATIENCE).arena
    return None
