"""How a page is sent: whole, in the reader's language, and then by a stream what changes of it."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from services.web import problem
from services.web.cache import Cache
from services.web.feed import Feed, Hub, Source
from services.web.render import Renderer, digest
from services.web.response import PRIVATE, EventStream, answer
from services.web.session import Session
from services.web.stream import events, seen_id
from services.web.table import ShownDeal
from services.web.view import deal_data
from services.web.words import TONGUES, choose

MAX_STREAMS = 20_000
"""That are told at once; a reader more is told to come back later."""
YEAR = 365 * 86400


class Live:
    """A page that changes: the names of its parts, its view as it is now, and the source that keeps it so.

    draw: what lies on its table, if its view says so.
    """

    def __init__(
        self,
        key: tuple[str, ...],
        parts: tuple[str, ...],
        load: Callable[[], Awaitable[Any]],
        source: Source,
        draw: Callable[[Any, str], Mapping[str, Any] | None] | None = None,
    ) -> None:
        self.key, self.parts, self.load, self.source = key, (*parts, "trouble"), load, source
        self._draw = draw

    def deal(self, feed: Feed | None, view: Any, language: str) -> Mapping[str, Any] | None:
        """What lies on the page's table: drawn from its view, or the deal that its feed shows."""
        if self._draw:
            return self._draw(view, language)
        shown: ShownDeal | None = feed.deal if feed else None
        return deal_data(shown, time.monotonic(), language) if shown else None


class Frame:
    """Sends pages. Handlers raise what the arena says, which `app` turns into a page."""

    def __init__(self, hub: Hub, cache: Cache, renderer: Renderer) -> None:
        self.hub, self.cache, self.renderer = hub, cache, renderer

    async def live(self, request: Request, template: str, live: Live, stream: str, **values: Any) -> Response:
        """A page with its parts as they are now, and the address of what changes them."""
        feed = self.hub.find(live.key)
        silent = feed.silent_since if feed and feed.trouble else 0
        view = feed.view if feed and feed.view else await self.cache.get(live.key, live.load)
        language = language_of(request)
        parts = self._parts(live.parts, view, silent, language)
        seen = seen_id([digest(text) for text in parts.values()])
        return self.page(
            request, template, view=view, silent=silent, stream=stream, seen=seen,
            deal=live.deal(feed, view, language), pair=pair_of(view), parts=as_markup(parts), **values,
        )  # fmt: skip

    def _parts(self, names: tuple[str, ...], view: Any, silent: float, language: str) -> dict[str, str]:
        return {name: self.renderer.part(name, language, view=view, silent=silent) for name in names}

    async def stream(self, request: Request, live: Live) -> Response:
        if self.hub.watchers >= MAX_STREAMS:
            return Response(status_code=503, headers={"retry-after": str(problem.RETRY)})
        if self.hub.find(live.key) is None:
            await self.cache.get(live.key, live.load)  # what there is not is said so
        language = language_of(request)
        seen = request.headers.get("last-event-id") or request.query_params.get("seen", "")

        def parts(feed: Feed, language: str) -> Mapping[str, str]:
            silent = feed.silent_since if feed.trouble else 0
            return self._parts(live.parts, feed.view, silent, language)

        def deal(feed: Feed, language: str) -> Mapping[str, Any] | None:
            return live.deal(feed, feed.view, language)

        async def told() -> Any:
            async with self.hub.watching(live.key, live.source) as feed:
                async for chunk in events(feed, language, seen, parts, deal, digest):
                    yield chunk

        return EventStream(told())

    def page(self, request: Request, template: str, **values: Any) -> Response:
        """A page in the reader's language; the language asked for is remembered."""
        fixed: dict[str, Any] = {
            "silent": 0,
            "stream": "",
            "seen": "",
            "parts": {},
            "wall": "wall" in request.query_params,
        }
        language = language_of(request)
        text = self.renderer.page(template, language, **{**fixed, **values})
        response = answer(request, text, "text/html", content_language=language)
        if request.query_params.get("lang") in TONGUES:
            response.set_cookie("lang", language, max_age=YEAR, samesite="lax", httponly=True)
        return response

    def private(
        self, request: Request, template: str, session: Session | None, status: int = 200, **values: Any
    ) -> Response:
        """A page for one person: nobody else's cache keeps it, nor does the browser's."""
        t = TONGUES[language_of(request)]
        fixed: dict[str, Any] = {
            "silent": 0, "stream": "", "seen": "", "parts": {}, "wall": False, "here": "me",
        }  # fmt: skip
        text = self.renderer.page(template, t.language, **{**fixed, "session": session, **values})
        return Response(text, status, {**PRIVATE, "content-language": t.language}, "text/html")

    def problem(self, request: Request, found: problem.Problem) -> Response:
        """What went wrong as a page."""
        t = TONGUES[language_of(request)]
        if found.reason == "NOT_RELEASED":
            found = msgspec.structs.replace(found, detail=t("not_released"))
        kinds = {404: "not_found", 500: "broken", 502: "down", 503: "down"}
        kind = kinds.get(found.status, "refused")
        retry = problem.RETRY if kind == "down" else 0
        text = self.renderer.page(
            "problem", t.language, silent=0, stream="", seen="", parts={}, wall=False, here="",
            heading=t(f"{kind}_title"), text=t(f"{kind}_text") if kind != "refused" else found.detail,
            detail=found.detail if kind == "down" else "", retry=retry,
        )  # fmt: skip
        headers = {"retry-after": str(retry)} if retry else {}
        return Response(text, found.status, {"cache-control": "no-store", **headers}, "text/html")


def as_markup(parts: Mapping[str, str]) -> dict[str, Markup]:
    """What templates made, escaped already: a page has its parts as they were when their state was taken."""
    return {name: Markup(text) for name, text in parts.items()}  # noqa: S704 - it is a template's own


def language_of(request: Request) -> str:
    """The language asked for in the address, else the remembered one, else the browser's."""
    asked = request.query_params.get("lang") or request.cookies.get("lang", "")
    return choose(asked, request.headers.get("accept-language", ""))


def pair_of(view: Any) -> tuple[str, str] | None:
    """Who sits at the table of a page that shows one."""
    found = getattr(view, "now", None) or getattr(view, "found", None)
    return found and (found.match.first_name, found.match.second_name)
