"""A check of `Host`: under a foreign name, a web site could read the page in a visitor's browser."""

import ipaddress
import re
from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from services.web.http.origin import Refuse
from services.web.http.problem import Problem

HOST: Final = re.compile(r"(?P<name>[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:]{2,39}\])(?P<port>:\d{1,5})?")
"""Addresses fit for a command: a Host is untrusted."""
LOCAL: Final = "localhost"
MISSING: Final = "A request names one host in its header Host; this one names none, several, or no valid one."
STRANGE: Final = (
    "This arena has another name; MAUMAU_PAGE_URL and MAUMAU_PAGE_NAMES say to which names its page answers."
)


class OwnHost:
    """A middleware that refuses other hosts. names: of the page; IP addresses are always accepted.

    A proxy's `X-Forwarded-Host` is ignored.
    """

    def __init__(self, app: ASGIApp, names: Collection[str], refuse: Refuse) -> None:
        self._app, self._names, self._refuse = app, frozenset(names) | {LOCAL}, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (problem := self._find_problem(scope)):
            await self._refuse(Request(scope), problem)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _find_problem(self, scope: Scope) -> Problem | None:
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        name = read_name(hosts[0]) if len(hosts) == 1 else ""
        if not name:
            return Problem(400, "BAD_HOST", "bad host", MISSING, scope["path"])
        if is_address(name) or name in self._names or name.endswith(f".{LOCAL}"):
            return None
        return Problem(421, "OTHER_HOST", "other host", STRANGE, scope["path"])


def find_site(request: Request, page_url: str) -> str:
    """Return the address under which others find this page: by the settings, else by the requested host.

    Return "" if neither is fit for a link.
    """
    host = request.headers.get("host", "")
    return page_url or (f"{request.url.scheme}://{host}" if HOST.fullmatch(host) else "")


def list_names(page_url: str, others: str) -> set[str]:
    """Return the page's names, by its settings."""
    return {name for name in (urlsplit(page_url).hostname, *others.split()) if name}


def read_name(host: str) -> str:
    """Return the name in a header `Host` without its port, in lower case; "" if it is not valid."""
    try:
        found = urlsplit(f"//{host}")
        found.port  # noqa: B018 - raises ValueError if it is invalid
    except ValueError:
        return ""
    is_plain = found.netloc == host and "@" not in host
    return (found.hostname or "").rstrip(".") if is_plain else ""


def is_address(name: str) -> bool:
    """Return True for an IP address, which no name server can redirect."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
