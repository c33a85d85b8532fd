"""The arena behind the address of its page, which is the address that people see in their browser."""

from __future__ import annotations

import urllib.request
from http.client import HTTPException

import msgspec

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
