"""The page on installing `maumau` from this arena, and the wheel that it offers."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from maumau.errors import MaumauError
from maumau.process.loopback import is_own_address
from services.web.delivery.cache import Cache
from services.web.delivery.frame import Frame
from services.web.http.host import HOST
from services.web.http.response import build_answer
from services.web.public.wheel import name_wheel, pack_wheel

SERVICES: Final = ("registry", "tournament", "engine", "matchmaking")
"""The services in the order in which `--arena` takes their ports."""
USUAL: Final = {"registry": "7101", "tournament": "7102", "engine": "7103", "matchmaking": "7104"}
SIGNUP_SECONDS: Final = 60.0
"""For which the page does not ask again how accounts are opened."""


def find_page_url(request: Request, page_url: str) -> str:
    """Return the address of the page for this visitor: by the requested host, else by the settings.

    Raise HTTPException, 400, if neither can be part of a command.
    """
    host = request.headers.get("host", "")
    if HOST.fullmatch(host) and host != urlsplit(page_url).netloc:
        scheme = "https" if page_url.startswith("https:") else request.url.scheme
        return f"{scheme}://{host}"
    if not page_url:
        raise HTTPException(400, "This arena cannot be reached under the host that was asked for.")
    return page_url


def write_arena(page: str, ports: Mapping[str, str], services_url: str = "") -> str:
    """Return the argument of `--arena` with which the arena of this page is found from elsewhere.

    Without a public address of the services, they are where the page is: behind TLS a proxy has one port for
    all. ports: of the services, by name.
    """
    if services_url and not is_own_address(services_url):
        return services_url
    found = urlsplit(page)
    if found.scheme == "https":
        return page
    host = f"[{found.hostname}]" if ":" in (found.hostname or "") else found.hostname
    if dict(ports) == USUAL:
        return f"http://{host}"
    return f"http://{host}:" + ",".join(ports[name] for name in SERVICES)


def shorten_arena(arena: str, page: str) -> str:
    """Return the argument of `--arena` for people: the page's address, if commands ask it for the ports.

    They do so only of an address without TLS that names one port.
    """
    services, site = urlsplit(arena), urlsplit(page)
    is_asked = services.scheme == site.scheme == "http" and site.port is not None
    return page if is_asked and "," in arena and services.hostname == site.hostname else arena


class InstallPages:
    """Handlers of `/help`, of `/install`, and of the wheel below it.

    page_url: public address of the page, or "". ports: of the services, by name. services_url: their public
    address, or "". ask_registration: asks the registry how accounts are opened.
    """

    def __init__(
        self,
        frame: Frame,
        page_url: str,
        ports: Mapping[str, str],
        services_url: str,
        ask_registration: Callable[[], Awaitable[str]],
    ) -> None:
        self._frame, self._page_url = frame, page_url
        self._ports, self._services_url = ports, services_url
        self._ask_registration, self._cache = ask_registration, Cache()

    async def find_signup(self) -> str:
        """Return how accounts are opened: "open", "code" or "closed"; "" while the registry is away."""
        try:
            return await self._cache.get("registration", self._ask_registration, lambda _: SIGNUP_SECONDS)
        except MaumauError:
            return ""

    def name_arena(self, request: Request) -> str:
        """Return the argument of `--arena` with all ports. Raise HTTPException as `find_page_url` does."""
        return write_arena(find_page_url(request, self._page_url), self._ports, self._services_url)

    def find_arena(self, request: Request) -> str:
        """Return the argument of `--arena` that a visitor reads, or "" under a name that no command takes."""
        try:
            return self._shorten_arena(request)
        except HTTPException:
            return ""

    def _shorten_arena(self, request: Request) -> str:
        return shorten_arena(self.name_arena(request), find_page_url(request, self._page_url))

    async def show_help(self, request: Request) -> Response:
        values = {"arena": self.find_arena(request), "signup": await self.find_signup()}
        return self._frame.render_page(request, "help", here="help", **values)

    async def show_install(self, request: Request) -> Response:
        page = find_page_url(request, self._page_url)
        wheel = f"{page}/install/{name_wheel()}"
        arena = self._shorten_arena(request)
        values = {"wheel": wheel, "file": name_wheel(), "arena": arena, "signup": await self.find_signup()}
        return self._frame.render_page(request, "install", here="help", **values)

    async def send_wheel(self, request: Request) -> Response:
        if request.path_params["file"] != name_wheel():
            raise HTTPException(404)
        content = await asyncio.to_thread(pack_wheel)
        return build_answer(request, content, "application/octet-stream")
