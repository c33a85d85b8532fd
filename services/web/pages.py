"""The pages: each comes whole from here and is read without scripts; its stream tells what changed."""

import asyncio
from functools import cache
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.answer import GetSetResponse
from maumau.errors import NotYours, UnknownVariant
from maumau.game import load, variants
from maumau.page.drawn import Drawn
from maumau.page.labels import list_labels
from maumau.rulebook import Page, page
from services.web import bot, contest, ladder, live_table, status
from services.web.client import Arena
from services.web.frame import Frame, Live, language_of
from services.web.onlook import Onlooker
from services.web.render import query
from services.web.replay import seatings
from services.web.response import answer

ROWS = 500  # sets of a table
SET_SECONDS = 60.0  # that a set is kept: a retake may change it


class Pages:
    """Handlers; each raises what the arena says, which `app` turns into a page."""

    def __init__(self, arena: Arena, frame: Frame) -> None:
        self._arena, self._frame, self._cache = arena, frame, frame.cache
        self._onlooker = Onlooker(arena)

    # --- first page ---

    async def home(self, request: Request) -> Response:
        return await self._frame.live(request, "home", self._home(), "/stream", here="now")

    async def home_stream(self, request: Request) -> Response:
        return await self._frame.stream(request, self._home())

    def _home(self) -> Live:
        return Live(
            ("home",), ("score", "contests", "decided", "ladders"), self._onlooker.home, self._onlooker.source
        )

    # --- contests ---

    async def contests(self, request: Request) -> Response:
        found = await self._cache.get("contests", lambda: self._arena.tournaments(1000))
        return self._frame.page(request, "contests", here="contests", contests=found)

    async def contest(self, request: Request) -> Response:
        name = request.path_params["name"]
        path = f"/stream/contests/{quote(name, safe='')}{query(wall='1' if _is_wall(request) else '')}"
        return await self._frame.live(request, "contest", self._contest(request), path, here="contests")

    async def contest_stream(self, request: Request) -> Response:
        return await self._frame.stream(request, self._contest(request))

    def _contest(self, request: Request) -> Live:
        """A projector has a feed of its own, since it has other parts."""
        name = request.path_params["name"]
        one = contest.ContestSource(self._arena, name)
        if _is_wall(request):
            return Live(("contest", name, "wall"), contest.WALL_PARTS, one.load, one.source)
        return Live(("contest", name), contest.PARTS, one.load, one.source)

    async def match(self, request: Request) -> Response:
        name, label = request.path_params["name"], request.path_params["label"]
        path = f"/stream/contests/{quote(name, safe='')}/matches/{quote(label, safe='')}"
        return await self._frame.live(request, "match", self._match(name, label), path, here="contests")

    async def match_stream(self, request: Request) -> Response:
        return await self._frame.stream(
            request, self._match(request.path_params["name"], request.path_params["label"])
        )

    def _match(self, name: str, label: str) -> Live:
        one = contest.MatchSource(self._arena, self._cache, name, label)
        return Live(("match", name, label), contest.MATCH_PARTS, one.load, one.source)

    # --- replays ---

    async def sets(self, request: Request) -> Response:
        """All sets in a table, so many at a time; from the form of a match's page to the set it names."""
        name, label = request.path_params["name"], request.path_params["label"]
        here = f"/contests/{quote(name, safe='')}/matches/{quote(label, safe='')}/sets"
        if (number := request.query_params.get("n")) is not None:
            return RedirectResponse(f"{here}/{_number(number)}", 303)
        first = _number(request.query_params.get("from", ""))
        found = await self._arena.match(name, label, newest=1)
        sets = await self._arena.some_set_scores(name, label, first, ROWS)
        return self._frame.page(
            request,
            "sets",
            here="contests",
            contest=name,
            match=found.match,
            first=first,
            sets=sets,
            at=here,
            rows=ROWS,
        )

    async def deal_set(self, request: Request) -> Response:
        found, deals = await self._set(request)
        where = {name: request.path_params[name] for name in ("label", "number")}
        names = (found.first_name, found.second_name)
        contest_name = request.path_params["name"]
        return self._frame.page(
            request, "set", here="contests", contest=contest_name, names=names, deals=deals,
            labels=list_labels(language_of(request)), **where,
        )  # fmt: skip

    async def set_data(self, request: Request) -> Response:
        _, deals = await self._set(request)
        return answer(request, msgspec.json.encode(deals), "application/json")

    async def set_record(self, request: Request) -> Response:
        found, _ = await self._set(request)
        text = "\n".join(deal.record.rstrip("\n") for deal in found.set.deals) + "\n"
        return answer(request, text, "text/plain; charset=utf-8")

    async def _set(self, request: Request) -> tuple[GetSetResponse, list[Drawn]]:
        """NotYours while the contest goes on: what was dealt is then for the bots' authors."""
        name, label = request.path_params["name"], request.path_params["label"]
        number, language = request.path_params["number"], language_of(request)

        async def ask() -> tuple[GetSetResponse, list[Drawn]]:
            found = await self._arena.deal_set(name, label, number)
            tournament = await self._arena.tournament(name)
            return found, await asyncio.to_thread(seatings, found, tournament.rules, language)

        return await self._cache.get(("set", name, label, number, language), ask, lambda _: SET_SECONDS)

    # --- ladders ---

    async def ladders(self, request: Request) -> Response:
        found = await self._cache.get("boards", self._onlooker.boards)
        return self._frame.page(request, "ladders", here="ladders", boards=found)

    async def ladder(self, request: Request) -> Response:
        live, path = self._ladder(request)
        return await self._frame.live(request, "ladder", live, path, here="ladders")

    async def ladder_stream(self, request: Request) -> Response:
        return await self._frame.stream(request, self._ladder(request)[0])

    def _ladder(self, request: Request) -> tuple[Live, str]:
        """And the address of its stream."""
        name, asked = request.path_params["name"], request.query_params
        author, bot = asked.get("author", ""), asked.get("bot", "")
        one = ladder.LadderSource(self._arena, name, author, bot)
        path = f"/stream/ladders/{quote(name, safe='')}{query(author=author, bot=bot)}"
        return Live(("ladder", name, author, bot), ladder.PARTS, one.load, one.source), path

    async def pairings(self, request: Request) -> Response:
        live, path = self._pairings(request)
        return await self._frame.live(request, "pairings", live, path, here="ladders")

    async def pairings_stream(self, request: Request) -> Response:
        return await self._frame.stream(request, self._pairings(request)[0])

    def _pairings(self, request: Request) -> tuple[Live, str]:
        name, asked = request.path_params["name"], request.query_params
        bot, after = asked.get("bot", ""), asked.get("after", "")
        one = ladder.PairingSource(self._arena, name, bot, after)
        path = f"/stream/ladders/{quote(name, safe='')}/pairings{query(bot=bot, after=after)}"
        return Live(("pairings", name, bot, after), ladder.PAIRING_PARTS, one.load, one.source), path

    # --- bots ---

    async def bots(self, request: Request) -> Response:
        found = await self._cache.get("bots", self._arena.bots)
        return self._frame.page(request, "bots", here="", bots=found)

    async def bot(self, request: Request) -> Response:
        name = request.path_params["name"]
        path = f"/stream/bots/{quote(name, safe='')}"
        return await self._frame.live(request, "bot_page", self._bot(name), path, here="")

    async def bot_stream(self, request: Request) -> Response:
        return await self._frame.stream(request, self._bot(request.path_params["name"]))

    def _bot(self, name: str) -> Live:
        one = bot.BotSource(self._arena, self._cache, name)
        return Live(("bot", name), bot.PARTS, one.load, one.source)

    # --- live tables ---

    async def tables(self, request: Request) -> Response:
        return await self._frame.live(request, "tables", self._tables(), "/stream/tables", here="tables")

    async def tables_stream(self, request: Request) -> Response:
        return await self._frame.stream(request, self._tables())

    def _tables(self) -> Live:
        one = live_table.ListSource(self._arena)
        return Live(("tables",), live_table.LIST_PARTS, one.load, one.source)

    async def live_table(self, request: Request) -> Response:
        table_id = request.path_params["id"]
        path = f"/stream/tables/{quote(table_id, safe='')}"
        return await self._frame.live(request, "live_table", self._live_table(table_id), path, here="tables")

    async def live_table_stream(self, request: Request) -> Response:
        return await self._frame.stream(request, self._live_table(request.path_params["id"]))

    async def live_table_record(self, request: Request) -> Response:
        """NotYours while the deal is played: the record has all hands."""
        found = await self._arena.table(request.path_params["id"])
        if not found.record:
            raise NotYours("A table's record can be read when its deal has been played to its end.")
        return answer(request, found.record, "text/plain; charset=utf-8")

    def _live_table(self, table_id: str) -> Live:
        one = live_table.TableSource(self._arena, table_id)
        return Live(("table", table_id), live_table.PARTS, one.load, one.source, live_table.draw)

    # --- rules ---

    async def rules(self, request: Request) -> Response:
        return self._frame.page(request, "rules", here="rules", variants=await asyncio.to_thread(_all_rules))

    async def variant(self, request: Request) -> Response:
        told = await asyncio.to_thread(_rules, request.path_params["name"])
        return self._frame.page(request, "variant", here="rules", told=told)

    # --- is it well? ---

    async def status(self, request: Request) -> Response:
        return await self._frame.live(request, "status", self._status(), "/stream/status", here="status")

    async def status_stream(self, request: Request) -> Response:
        return await self._frame.stream(request, self._status())

    def _status(self) -> Live:
        one = status.StatusSource(self._arena, self._cache, self._frame.hub)
        return Live(("status",), status.PARTS, one.load, one.source)


def _is_wall(request: Request) -> bool:
    return "wall" in request.query_params


def _number(typed: str) -> int:
    """As it was typed in an address; 0 for what is none."""
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 9 else 0


@cache
def _rules(name: str) -> Page:
    """A known variant in words. UnknownVariant: there is none of this name."""
    if name not in variants():
        raise UnknownVariant(f"There is no variant {name[:80]!r}.")
    return page(load(name))


def _all_rules() -> list[Page]:
    return [_rules(name) for name in variants()]
