"""The pages: each comes whole from here and is read without scripts; its stream tells what changed."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.answer import GetSetResponse
from maumau.errors import UnknownVariant
from maumau.game import load, variants
from maumau.rulebook import Page, page
from services.web import contest, problem
from services.web.cache import Cache
from services.web.client import Arena
from services.web.feed import Feed, Hub, Source
from services.web.onlook import Onlooker
from services.web.render import Renderer, digest
from services.web.replay import Seating, seatings
from services.web.response import EventStream, answer
from services.web.stream import events, seen_id
from services.web.table import ShownDeal
from services.web.view import deal_data
from services.web.words import TONGUES, choose

MAX_STREAMS = 20_000
"""That are told at once; a reader more is told to come back later."""
YEAR = 365 * 86400
SET_SECONDS = 60.0  # that a set is kept: a retake may change it


class Live:
    """A page that changes: the names of its parts, its view as it is now, and the source that keeps it so."""

    def __init__(
        self, key: tuple[str, ...], parts: tuple[str, ...], load: Callable[[], Awaitable[Any]], source: Source
    ) -> None:
        self.key, self.parts, self.load, self.source = key, (*parts, "trouble"), load, source


class Pages:
    """Handlers; each raises what the arena says, which `app` turns into a page."""

    def __init__(self, arena: Arena, hub: Hub, cache: Cache, renderer: Renderer) -> None:
        self._arena, self._hub, self._cache, self._renderer = arena, hub, cache, renderer
        self._onlooker = Onlooker(arena)

    # --- first page ---

    async def home(self, request: Request) -> Response:
        return await self._live(request, "home", self._home(), "/stream", here="now")

    async def home_stream(self, request: Request) -> Response:
        return await self._stream(request, self._home())

    def _home(self) -> Live:
        return Live(("home",), ("score", "contests", "decided"), self._onlooker.home, self._onlooker.source)

    # --- contests ---

    async def contests(self, request: Request) -> Response:
        found = await self._cache.get("contests", lambda: self._arena.tournaments(1000))
        return self._page(request, "contests", here="contests", contests=found)

    async def contest(self, request: Request) -> Response:
        name = request.path_params["name"]
        path = f"/stream/contests/{quote(name, safe='')}"
        return await self._live(request, "contest", self._contest(name), path, here="contests")

    async def contest_stream(self, request: Request) -> Response:
        return await self._stream(request, self._contest(request.path_params["name"]))

    def _contest(self, name: str) -> Live:
        one = contest.ContestSource(self._arena, name)
        return Live(("contest", name), contest.PARTS, one.load, one.source)

    async def match(self, request: Request) -> Response:
        name, label = request.path_params["name"], request.path_params["label"]
        path = f"/stream/contests/{quote(name, safe='')}/matches/{quote(label, safe='')}"
        return await self._live(request, "match", self._match(name, label), path, here="contests")

    async def match_stream(self, request: Request) -> Response:
        return await self._stream(
            request, self._match(request.path_params["name"], request.path_params["label"])
        )

    def _match(self, name: str, label: str) -> Live:
        one = contest.MatchSource(self._arena, name, label)
        return Live(("match", name, label), contest.MATCH_PARTS, one.load, one.source)

    # --- replays ---

    async def find_set(self, request: Request) -> Response:
        """From the form of a match's page to the set that it names."""
        number = request.query_params.get("n", "")
        name, label = (quote(request.path_params[part], safe="") for part in ("name", "label"))
        number = number if number.isascii() and number.isdigit() and len(number) < 9 else "0"
        return RedirectResponse(f"/contests/{name}/matches/{label}/sets/{int(number)}", 303)

    async def deal_set(self, request: Request) -> Response:
        found, deals = await self._set(request)
        where = {name: request.path_params[name] for name in ("label", "number")}
        names = (found.first_name, found.second_name)
        contest_name = request.path_params["name"]
        return self._page(
            request, "set", here="contests", contest=contest_name, names=names, deals=deals, **where
        )

    async def set_data(self, request: Request) -> Response:
        _, deals = await self._set(request)
        return answer(request, msgspec.json.encode(deals), "application/json")

    async def set_record(self, request: Request) -> Response:
        found, _ = await self._set(request)
        text = "\n".join(deal.record.rstrip("\n") for deal in found.set.deals) + "\n"
        return answer(request, text, "text/plain; charset=utf-8")

    async def _set(self, request: Request) -> tuple[GetSetResponse, list[Seating]]:
        """NotYours while the contest goes on: what was dealt is then for the bots' authors."""
        name, label = request.path_params["name"], request.path_params["label"]
        number, language = request.path_params["number"], language_of(request)

        async def ask() -> tuple[GetSetResponse, list[Seating]]:
            found = await self._arena.deal_set(name, label, number)
            tournament = await self._arena.tournament(name)
            return found, await asyncio.to_thread(seatings, found, tournament.rules, language)

        return await self._cache.get(("set", name, label, number, language), ask, lambda _: SET_SECONDS)

    # --- rules ---

    async def rules(self, request: Request) -> Response:
        return self._page(request, "rules", here="rules", variants=await asyncio.to_thread(_all_rules))

    async def variant(self, request: Request) -> Response:
        told = await asyncio.to_thread(_rules, request.path_params["name"])
        return self._page(request, "variant", here="rules", told=told)

    # --- is it well? ---

    async def status(self, request: Request) -> Response:
        services = await self._cache.get("wellness", self._arena.wellness)
        return self._page(request, "status", here="status", services=services, watchers=self._hub.watchers)

    # --- how it is done ---

    async def _live(
        self, request: Request, template: str, live: Live, stream: str, **values: Any
    ) -> Response:
        """A page with its parts as they are now, and the address of what changes them."""
        feed = self._hub.find(live.key)
        silent = feed.silent_since if feed and feed.trouble else 0
        view = feed.view if feed and feed.view else await self._cache.get(live.key, live.load)
        language = language_of(request)
        parts = self._parts(live.parts, view, silent, language)
        seen = seen_id([digest(text) for text in parts.values()])
        return self._page(
            request, template, view=view, silent=silent, stream=stream, seen=seen,
            deal=_shown(feed, language), pair=pair_of(view), **values,
        )  # fmt: skip

    def _parts(self, names: tuple[str, ...], view: Any, silent: float, language: str) -> dict[str, str]:
        return {name: self._renderer.part(name, language, view=view, silent=silent) for name in names}

    async def _stream(self, request: Request, live: Live) -> Response:
        if self._hub.watchers >= MAX_STREAMS:
            return Response(status_code=503, headers={"retry-after": str(problem.RETRY)})
        if self._hub.find(live.key) is None:
            await self._cache.get(live.key, live.load)  # what there is not is said so
        language = language_of(request)
        seen = request.headers.get("last-event-id") or request.query_params.get("seen", "")

        def parts(feed: Feed, language: str) -> Mapping[str, str]:
            silent = feed.silent_since if feed.trouble else 0
            return self._parts(live.parts, feed.view, silent, language)

        async def told() -> Any:
            async with self._hub.watching(live.key, live.source) as feed:
                async for chunk in events(feed, language, seen, parts, _shown, digest):
                    yield chunk

        return EventStream(told())

    def _page(self, request: Request, template: str, **values: Any) -> Response:
        """A page in the reader's language; the language asked for is remembered."""
        fixed: dict[str, Any] = {
            "silent": 0,
            "stream": "",
            "seen": "",
            "wall": "wall" in request.query_params,
        }
        language = language_of(request)
        text = self._renderer.page(template, language, **{**fixed, **values})
        response = answer(request, text, "text/html", content_language=language)
        if request.query_params.get("lang") in TONGUES:
            response.set_cookie("lang", language, max_age=YEAR, samesite="lax", httponly=True)
        return response

    def problem(self, request: Request, found: problem.Problem) -> Response:
        """What went wrong as a page."""
        t = TONGUES[language_of(request)]
        kind = {404: "not_found", 503: "down", 502: "down"}.get(found.status, "refused")
        retry = problem.RETRY if kind == "down" else 0
        text = self._renderer.page(
            "problem", t.language, silent=0, stream="", seen="", wall=False, here="",
            heading=t(f"{kind}_title"), text=t(f"{kind}_text") if kind != "refused" else found.detail,
            detail=found.detail if kind == "down" else "", retry=retry,
        )  # fmt: skip
        headers = {"retry-after": str(retry)} if retry else {}
        return Response(text, found.status, {"cache-control": "no-store", **headers}, "text/html")


def language_of(request: Request) -> str:
    """The language asked for in the address, else the remembered one, else the browser's."""
    asked = request.query_params.get("lang") or request.cookies.get("lang", "")
    return choose(asked, request.headers.get("accept-language", ""))


@cache
def _rules(name: str) -> Page:
    """A known variant in words. UnknownVariant: there is none of this name."""
    if name not in variants():
        raise UnknownVariant(f"There is no variant {name[:80]!r}.")
    return page(load(name))


def _all_rules() -> list[Page]:
    return [_rules(name) for name in variants()]


def pair_of(view: Any) -> tuple[str, str] | None:
    """Who sits at the table of a page that shows one."""
    found = getattr(view, "now", None) or getattr(view, "found", None)
    return found and (found.match.first_name, found.match.second_name)


def _shown(feed: Feed | None, language: str) -> Mapping[str, Any] | None:
    shown: ShownDeal | None = feed.deal if feed else None
    return deal_data(shown, time.monotonic(), language) if shown else None
