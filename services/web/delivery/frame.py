"""Pages in the reader's language, sent whole, and their changes, sent by a stream."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from services.web.delivery.cache import Cache
from services.web.delivery.feed import Feed, Hub, Source
from services.web.delivery.render import Renderer, digest, query, tell_refusal
from services.web.delivery.stream import FeedReader, seen_id
from services.web.figures.deal_data import deal_data
from services.web.figures.shown_deal import ShownDeal
from services.web.http import problem
from services.web.http.host import find_site
from services.web.http.response import EMBED, PRIVATE, EventStream, build_answer
from services.web.http.route import stream_of, write_path
from services.web.http.session import Session
from services.web.words import TONGUES, choose_language

MAX_STREAMS = 20_000
"""Streams at a time; further readers are asked to come back later."""
YEAR = 365 * 86400
THEMES = ("light", "dark")


class Live:
    """A page that changes: the names of its parts, the function that loads its view, and its source.

    draw: returns the deal on its table, if its view has one. asked: the parameters in the address that choose
    what it shows.
    """

    def __init__(
        self,
        key: tuple[str, ...],
        parts: tuple[str, ...],
        load: Callable[[], Awaitable[Any]],
        source: Source,
        draw: Callable[[Any, str], Mapping[str, Any] | None] | None = None,
        asked: Mapping[str, str] | None = None,
    ) -> None:
        self.key, self.parts, self.load, self.source = key, (*parts, "trouble"), load, source
        self._draw, self.asked = draw, asked or {}

    def deal(self, feed: Feed | None, view: Any, language: str) -> Mapping[str, Any] | None:
        """Return the deal on the page's table: drawn from its view, or the one that its feed shows."""
        if self._draw:
            return self._draw(view, language)
        shown: ShownDeal | None = feed.deal if feed else None
        return deal_data(shown, time.monotonic(), language) if shown else None


class LivePage(NamedTuple):
    """A page that changes, as it is registered: its template, its entry of the menu, what a request finds."""

    template: str
    here: str
    find: Callable[[Request], Live]


class Frame:
    """The sender of pages. Handlers raise the arena's errors, which `app` turns into pages."""

    def __init__(self, hub: Hub, cache: Cache, renderer: Renderer, page_url: str = "") -> None:
        self.hub, self.cache, self.renderer, self.page_url = hub, cache, renderer, page_url

    async def render_live(self, page: LivePage, request: Request) -> Response:
        """Return a page with its current parts, and the address of its stream."""
        live = page.find(request)
        feed = self.hub.find_feed(live.key)
        silent = feed.silent_since if feed and feed.trouble else 0
        view = feed.view if feed and feed.view else await self.cache.get(live.key, live.load)
        language = language_of(request)
        parts = self._render_parts(live.parts, view, silent, language)
        seen = seen_id([digest(text) for text in parts.values()])
        return self.render_page(
            request,
            page.template,
            view=view,
            silent=silent,
            stream=_find_stream(request, live),
            seen=seen,
            deal=live.deal(feed, view, language),
            pair=pair_of(view),
            parts=as_markup(parts),
            here=page.here,
        )

    def _render_parts(
        self, names: tuple[str, ...], view: Any, silent: float, language: str
    ) -> dict[str, str]:
        return {name: self.renderer.render_part(name, language, view=view, silent=silent) for name in names}

    async def stream_live(self, page: LivePage, request: Request) -> Response:
        """Return the stream of a page's changes."""
        live = page.find(request)
        if self.hub.watchers >= MAX_STREAMS:
            return Response(status_code=503, headers={"retry-after": str(problem.RETRY)})
        if self.hub.find_feed(live.key) is None:
            await self.cache.get(live.key, live.load)  # raises if there is no such thing
        language = language_of(request)
        seen = request.headers.get("last-event-id") or request.query_params.get("seen", "")

        def parts(feed: Feed, language: str) -> Mapping[str, str]:
            silent = feed.silent_since if feed.trouble else 0
            return self._render_parts(live.parts, feed.view, silent, language)

        def deal(feed: Feed, language: str) -> Mapping[str, Any] | None:
            return live.deal(feed, feed.view, language)

        @asynccontextmanager
        async def subscribe(stream: EventStream) -> AsyncIterator[None]:
            async with self.hub.watch_feed(live.key, live.source) as feed:
                with feed.read_by(FeedReader(feed, stream, language, seen, parts, deal, digest)):
                    yield

        return EventStream(subscribe)

    def render_page(self, request: Request, template: str, **values: Any) -> Response:
        """Return a page in the reader's language; a language requested in the address is remembered."""
        fixed: dict[str, Any] = {
            "silent": 0,
            "stream": "",
            "seen": "",
            "parts": {},
            "wall": "wall" in request.query_params,
            "site": find_site(request, self.page_url),
            "path": write_path(request),
        }
        language = language_of(request)
        text = self.renderer.render_page(template, language, **{**fixed, **values})
        return _keep_language(request, build_answer(request, text, "text/html", content_language=language))

    def render_framed(self, request: Request, template: str, **values: Any) -> Response:
        """Return a page for frames of other sites, by its address alone: cookies neither come nor go."""
        asked = request.query_params
        language = choose_language(asked.get("lang", ""), request.headers.get("accept-language", ""))
        theme = asked.get("theme", "") if asked.get("theme") in THEMES else ""
        site = find_site(request, self.page_url)
        text = self.renderer.render_page(template, language, site=site, theme=theme, silent=0, **values)
        return build_answer(request, text, "text/html", content_language=language, vary="Accept-Language")

    def render_private(
        self, request: Request, template: str, session: Session | None, status: int = 200, **values: Any
    ) -> Response:
        """Return a page for one person, which neither caches nor the browser may store; see render_page."""
        t = TONGUES[language_of(request)]
        fixed: dict[str, Any] = {
            "silent": 0,
            "stream": "",
            "seen": "",
            "parts": {},
            "wall": False,
            "here": "me",
            "site": "",
            "path": "",
        }
        text = self.renderer.render_page(template, t.language, **{**fixed, "session": session, **values})
        response = Response(text, status, {**PRIVATE, "content-language": t.language}, "text/html")
        return _keep_language(request, response)

    def render_problem(self, request: Request, found: problem.Problem) -> Response:
        """Return a problem as a page."""
        t = TONGUES[language_of(request)]
        if found.reason == "NOT_RELEASED":
            found = msgspec.structs.replace(found, detail=t("not_released"))
        kinds = {400: "unfit", 404: "not_found", 500: "broken", 502: "down", 503: "down"}
        kind = kinds.get(found.status, "refused")
        retry = problem.RETRY if kind == "down" else 0
        is_framed = request.url.path.startswith(EMBED)
        text = self.renderer.render_page(
            "embed_problem" if is_framed else "problem",
            t.language,
            silent=0,
            stream="",
            seen="",
            parts={},
            wall=False,
            here="",
            site="",
            theme="",
            heading=t(f"{kind}_title"),
            text=t(f"{kind}_text")
            if kind not in ("refused", "unfit")
            else tell_refusal(t, found.detail, found.reason),
            detail=found.detail if kind == "down" else "",
            retry=retry,
        )
        headers = {"retry-after": str(retry)} if retry else {}
        return Response(text, found.status, {"cache-control": "no-store", **headers}, "text/html")


def _keep_language(request: Request, response: Response) -> Response:
    """Let the browser remember a language requested in the address."""
    if request.query_params.get("lang") in TONGUES:
        response.set_cookie("lang", language_of(request), max_age=YEAR, samesite="lax", httponly=True)
    return response


def _find_stream(request: Request, live: Live) -> str:
    """Return the address of the stream of the requested page."""
    return stream_of(write_path(request)) + query(**live.asked)


def as_markup(parts: Mapping[str, str]) -> dict[str, Markup]:
    """Return rendered parts as markup: a page gets them as they were when their state was read."""
    return {name: Markup(text) for name, text in parts.items()}  # noqa: S704 - it is a template's own


def language_of(request: Request) -> str:
    """Return the language in the address, else the remembered one, else the browser's."""
    asked = request.query_params.get("lang") or request.cookies.get("lang", "")
    return choose_language(asked, request.headers.get("accept-language", ""))


def pair_of(view: Any) -> tuple[str, str] | None:
    """Return the names of the first two players at a page's table, if it shows one."""
    if game := getattr(view, "now", None):
        return game.names[0], game.names[1]
    found = getattr(view, "found", None)
    return found and (found.match.first_name, found.match.second_name)
