"""The handlers of feeds and calendars: of all contests, and of one."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from maumau.client.answer import SpecChange, Tournament
from maumau.errors import NotFound, NotReleased
from services.web.client import Arena
from services.web.delivery.cache import FOR_EVER, SECONDS, Cache
from services.web.http.host import find_site
from services.web.http.response import build_answer
from services.web.http.route import write_path
from services.web.syndication import atom, ical
from services.web.syndication.atom import FeedItem
from services.web.syndication.dates import ENTERING, list_dates
from services.web.syndication.news import (
    DECIDED,
    Outcome,
    Results,
    find_outcome,
    find_page,
    tell_contest,
    tell_results,
)
from services.web.words import TONGUES, Tongue, choose_language

T = TypeVar("T")
NEWEST = 100  # contests of the common feed and calendar
OUTCOMES = 40  # decided contests of the common feed, the newest
AT_ONCE = 8  # contests that are queried at a time


def find_tongue(request: Request) -> Tongue:
    """Return the language in the address, else the reader's; a cookie does not count."""
    wanted = request.query_params.get("lang", "")
    return TONGUES[choose_language(wanted, request.headers.get("accept-language", ""))]


class FeedPages:
    """Handlers below `/feeds`. page_url: public address of the page, or "".

    They tell what everybody may see: of a contest that is hidden from the public the arena says that there is
    none, and of one whose results are not released it says none of them.
    """

    def __init__(self, arena: Arena, cache: Cache, page_url: str) -> None:
        self._arena, self._cache, self._page_url = arena, cache, page_url

    async def send_contests(self, request: Request) -> Response:
        """Send the feed of all contests."""
        t, site = find_tongue(request), self._find_site(request)
        found = await self._list_newest()
        ended = [one for one in found if one.state in DECIDED][:OUTCOMES]
        outcomes = await self._ask_some(ended, self._find_outcome)
        news = [each for one in found for each in tell_contest(t, site, one, outcomes.get(one.id))]
        title = t("feed_title", name=t("contests"))
        return self._send_feed(request, t, ("contests", site), title, f"{site}/contests", news)

    async def send_contest(self, request: Request) -> Response:
        """Send the feed of a contest."""
        t, site = find_tongue(request), self._find_site(request)
        found = await self._find_contest(request)
        results = await self._find_results(found)
        outcome = find_outcome(found, results)
        news = [*tell_contest(t, site, found, outcome), *tell_results(t, site, found, results)]
        title, page = t("feed_title", name=found.name), find_page(site, found.name)
        return self._send_feed(request, t, ("contest", found.id), title, page, news)

    async def send_dates(self, request: Request) -> Response:
        """Send the calendar of all contests."""
        t, site = find_tongue(request), self._find_site(request)
        found = await self._list_newest()
        changes = await self._ask_some(found, self._find_changes)
        known = [one for one in found if one.id in changes]
        events = [each for one in known for each in list_dates(t, site, one, changes[one.id])]
        return _send_calendar(request, t, t("feed_title", name=t("contests")), events)

    async def contest_dates(self, request: Request) -> Response:
        """Send the calendar of a contest."""
        t, site = find_tongue(request), self._find_site(request)
        found = await self._find_contest(request)
        title = t("feed_title", name=found.name)
        return _send_calendar(request, t, title, list_dates(t, site, found, found.spec_changes))

    def _find_site(self, request: Request) -> str:
        site = find_site(request, self._page_url)
        if not site:
            raise HTTPException(400, "A feed has links, and the requested host is not fit for any.")
        return site

    async def _find_contest(self, request: Request) -> Tournament:
        name = request.path_params["name"]
        return await self._cache.get(("tournament", name), lambda: self._arena.get_tournament(name))

    async def _list_newest(self) -> tuple[Tournament, ...]:
        async def ask() -> tuple[Tournament, ...]:
            return (await self._arena.tournament_page(NEWEST))[0]

        return await self._cache.get(("feeds", "contests"), ask)

    async def _find_results(self, one: Tournament) -> Results:
        """Return the results of a contest; none before it has started, or while they are not released."""

        async def ask() -> Results:
            if not one.has_begun:
                return Results()
            try:
                table = await self._arena.get_standings(one.name)
                return Results(table.standings, await self._arena.list_matches(one.name))
            except NotReleased:
                return Results()

        return await self._cache.get(("feeds", "results", one.id, one.state, one.matches_decided), ask)

    async def _find_outcome(self, one: Tournament) -> Outcome | None:
        """Return how a decided contest ended, asked once for a finished one."""

        async def ask() -> Outcome | None:
            return find_outcome(one, await self._find_results(one))

        key = ("feeds", "outcome", one.id, one.state, one.compared)
        kept = FOR_EVER if one.state == "finished" else SECONDS
        return await self._cache.get(key, ask, lambda _: kept)

    async def _find_changes(self, one: Tournament) -> tuple[SpecChange, ...]:
        """Return the changes of a contest's spec, asked once after its entries have closed."""

        async def ask() -> tuple[SpecChange, ...]:
            return (await self._arena.get_tournament(one.id)).spec_changes

        kept = SECONDS if one.state in ENTERING else FOR_EVER
        return await self._cache.get(("feeds", "changes", one.id, one.state), ask, lambda _: kept)

    async def _ask_some(
        self, contests: Iterable[Tournament], ask: Callable[[Tournament], Awaitable[T]]
    ) -> dict[str, T]:
        """Return the answers for contests by their ids, without those that are gone by now."""
        turn = asyncio.Semaphore(AT_ONCE)
        found: dict[str, T] = {}

        async def ask_one(one: Tournament) -> None:
            async with turn:
                with suppress(NotFound):
                    found[one.id] = await ask(one)

        await asyncio.gather(*map(ask_one, contests))
        return found

    def _send_feed(
        self,
        request: Request,
        t: Tongue,
        key: tuple[str, ...],
        title: str,
        page: str,
        news: Iterable[FeedItem],
    ) -> Response:
        here = f"{self._find_site(request)}{write_path(request)}?lang={t.language}"
        latest = atom.choose_latest(news)
        head = atom.FeedHead((*key, t.language), title, t.language, here, page, t("title"))
        modified, content = atom.find_updated(latest), atom.write_feed(head, latest)
        return build_answer(
            request, content, atom.TYPE, modified, vary="Accept-Language", content_language=t.language
        )


def _send_calendar(request: Request, t: Tongue, title: str, events: Iterable[ical.Event]) -> Response:
    content = ical.write_calendar(title, t.language, tuple(events))
    return build_answer(request, content, ical.TYPE, vary="Accept-Language", content_language=t.language)
