"""The address that an arena announces: by its page, whose address people see, or by its registry."""

from __future__ import annotations

import urllib.request
from contextlib import suppress
from http.client import NOT_FOUND, HTTPException
from urllib.error import HTTPError

import msgspec

from maumau.errors import MaumauError
from maumau.process.silence import await_answer

PATIENCE = 3.0
MOST_BYTES = 65536


class _Index(msgspec.Struct):
    """The part of `/api/v1` that commands need. openapi: by which an arena is known."""

    openapi: str
    arena: str = ""


def ask_page(url: str) -> str | None:
    """Return the words for --arena that a page gives, or an empty string if it gives none or nobody answers.

    Return None if a web server answers that is not an arena's.
    """
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with await_answer(url), opener.open(f"{url.rstrip('/')}/api/v1", timeout=PATIENCE) as reply:
            return msgspec.json.decode(reply.read(MOST_BYTES), type=_Index).arena
    except msgspec.DecodeError:
        return None
    except HTTPError as error:  # others are of a proxy, or of an arena that has no time
        return None if error.code == NOT_FOUND else ""
    except (OSError, ValueError, HTTPException):
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
