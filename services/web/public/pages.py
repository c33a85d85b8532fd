"""The public pages: each is sent whole and readable without scripts; its stream sends changes."""

import asyncio
from contextlib import suppress
from functools import partial
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from maumau.client.answer import GetLeaderboardResponse, RuleSet
from maumau.errors import MaumauError, NotYours, RulesSealed, UnknownVariant
from services.web.client import Arena
from services.web.delivery.frame import Frame, Live, language_of
from services.web.http.response import build_answer
from services.web.public import bot, contest, ladder, live_table, status
from services.web.public.certificate import find_printed
from services.web.public.home import Onlooker
from services.web.public.winner import look_up_winner
from services.web.words import rules

WINNERS = 40  # finished contests whose winner is named in the list, the newest
CONTESTS = 200  # of a page


class Pages:
    """Handlers of the public pages, and the `Live` ones that requests for the others find.

    They raise the arena's errors, which `app` turns into pages.
    """

    def __init__(self, arena: Arena, frame: Frame) -> None:
        self._arena, self._frame, self._cache = arena, frame, frame.cache
        self._onlooker = Onlooker(arena)

    # --- first page ---

    def show_home(self, _: Request) -> Live:
        parts = ("victory", "score", "contests", "decided", "ladders")
        return Live(("home",), parts, self._onlooker.load_home, self._onlooker.update_feed)

    # --- contests ---

    async def show_contests(self, request: Request) -> Response:
        after = request.query_params.get("after", "")
        key = ("contests", after)
        found, older = await self._cache.get(key, lambda: self._arena.tournament_page(CONTESTS, after))
        ended = [one for one in found if one.state == "finished"][:WINNERS]
        look_up = partial(look_up_winner, self._arena, self._cache)
        named = await asyncio.gather(*map(look_up, ended))
        winners = {one.id: name for one, name in zip(ended, named, strict=True)}
        shown = {"contests": found, "older": older, "after": after, "winners": winners}
        return self._frame.render_page(request, "contests", here="contests", **shown)

    def show_contest(self, request: Request) -> Live:
        """Return the page of a contest; a projector has a feed of its own, since its parts differ."""
        name = request.path_params["name"]
        one = contest.ContestSource(self._arena, name)
        if _is_wall(request):
            key, parts = ("contest", name, "wall"), contest.WALL_PARTS
            return Live(key, parts, one.load_view, one.update_feed, asked={"wall": "1"})
        return Live(("contest", name), contest.PARTS, one.load_view, one.update_feed)

    async def certificates(self, request: Request) -> Response:
        """Return results and a certificate for each bot, to print; without a final result only a sentence."""
        name = request.path_params["name"]
        found = await self._cache.get(("printed", name), lambda: find_printed(self._arena, name))
        winner = await look_up_winner(self._arena, self._cache, found.tournament) if found.lines else ""
        return self._frame.render_page(request, "certificates", here="contests", printed=found, winner=winner)

    def show_match(self, request: Request) -> Live:
        name, label = request.path_params["name"], request.path_params["label"]
        one = contest.MatchSource(self._arena, self._cache, name, label)
        return Live(("match", name, label), contest.MATCH_PARTS, one.load_view, one.update_feed)

    # --- ladders ---

    async def show_ladders(self, request: Request) -> Response:
        found = await self._cache.get("boards", self._onlooker.load_boards)
        return self._frame.render_page(request, "ladders", here="ladders", boards=found)

    def show_ladder(self, request: Request) -> Live:
        name, query = request.path_params["name"], request.query_params
        asked = {"author": query.get("author", ""), "bot": query.get("bot", "")}
        one = ladder.LadderSource(self._arena, name, **asked)
        return Live(
            ("ladder", name, *asked.values()), ladder.PARTS, one.load_view, one.update_feed, asked=asked
        )

    def show_pairings(self, request: Request) -> Live:
        name, query = request.path_params["name"], request.query_params
        asked = {"bot": query.get("bot", ""), "after": query.get("after", "")}
        one = ladder.PairingSource(self._arena, name, **asked)
        key = ("pairings", name, *asked.values())
        return Live(key, ladder.PAIRING_PARTS, one.load_view, one.update_feed, asked=asked)

    def live_pairing(self, request: Request) -> Live:
        at = request.path_params["name"], request.path_params["label"]
        one = ladder.LivePairingSource(self._arena, *at)
        return Live(("pairing", *at), ladder.LIVE_PARTS, one.load, one.source)

    # --- bots ---

    async def show_bots(self, request: Request) -> Response:
        found = await self._cache.get("bots", self._arena.list_bots)
        boards = await self._cache.get("boards", self._load_boards)
        places = {line.bot_name: (board, line) for board in boards for line in board.ranked}
        return self._frame.render_page(request, "bots", here="", bots=found, places=places)

    async def _load_boards(self) -> tuple[GetLeaderboardResponse, ...]:
        """Return the tables of all ladders; none while their service is silent."""
        with suppress(MaumauError):
            return await self._onlooker.load_boards()
        return ()

    def show_bot(self, request: Request) -> Live:
        name = request.path_params["name"]
        one = bot.BotSource(self._arena, self._cache, name)
        return Live(("bot", name), bot.PARTS, one.load_view, one.update_feed)

    # --- live tables ---

    def show_tables(self, _: Request) -> Live:
        one = live_table.ListSource(self._arena)
        return Live(("tables",), live_table.LIST_PARTS, one.load_view, one.update_feed)

    def live_table(self, request: Request) -> Live:
        table_id = request.path_params["id"]
        one = live_table.TableSource(self._arena, table_id)
        return Live(
            ("table", table_id), live_table.PARTS, one.load_view, one.update_feed, live_table.draw_public
        )

    async def live_table_record(self, request: Request) -> Response:
        """Send a table's record; raise NotYours while the deal is played, since the record has all hands."""
        found = await self._arena.get_table(request.path_params["id"])
        if not found.record:
            raise NotYours("A table's record can be read when its deal has been played to its end.")
        return build_answer(request, found.record, "text/plain; charset=utf-8")

    # --- rules ---

    async def show_rules(self, request: Request) -> Response:
        return self._frame.render_page(
            request,
            "rules",
            here="rules",
            families=await asyncio.to_thread(rules.tell_families, language_of(request)),
        )

    async def show_variant(self, request: Request) -> Response:
        told = await asyncio.to_thread(rules.tell_variant, request.path_params["name"], language_of(request))
        return self._frame.render_page(request, "variant", here="rules", told=told, of="", own=False)

    async def contest_rules(self, request: Request) -> Response:
        return await self._told_rules(request, await self._rules_of_contest(request), "contests")

    async def contest_variant(self, request: Request) -> Response:
        return _own_file(request, await self._rules_of_contest(request), "The contest")

    async def ladder_rules(self, request: Request) -> Response:
        return await self._told_rules(request, await self._rules_of_ladder(request), "ladders")

    async def ladder_variant(self, request: Request) -> Response:
        return _own_file(request, await self._rules_of_ladder(request), "The ladder")

    async def _told_rules(self, request: Request, of: RuleSet, here: str) -> Response:
        """Show the rules with the options and the variant of what is played, with a way back to it."""
        told = await asyncio.to_thread(rules.tell_rules, of, language_of(request))
        name = request.path_params["name"]
        return self._frame.render_page(
            request,
            "variant",
            here=here,
            told=told,
            of=name,
            own=bool(of.variant_toml),
            at=f"/{here}/{quote(name, safe='')}",
            practice=f"maumau practice --{here[:-1]} {name}",
        )

    async def _rules_of_contest(self, request: Request) -> RuleSet:
        name = request.path_params["name"]
        found = await self._cache.get(("tournament", name), lambda: self._arena.get_tournament(name))
        if found.rules is None and found.mystery:
            raise RulesSealed(f"The rules of {name[:80]} are sealed until they are revealed.")
        return _known_rules(found.rules, "The contest", name)

    async def _rules_of_ladder(self, request: Request) -> RuleSet:
        name = request.path_params["name"]
        found = await self._cache.get(("leaderboard", name), lambda: self._arena.get_leaderboard(name))
        return _known_rules(found.ladder.rules if found.ladder else None, "The ladder", name)

    # --- status ---

    def show_status(self, _: Request) -> Live:
        one = status.StatusSource(self._arena, self._cache, self._frame.hub)
        return Live(("status",), status.PARTS, one.load_view, one.update_feed)


def _is_wall(request: Request) -> bool:
    return "wall" in request.query_params


def _known_rules(found: RuleSet | None, what: str, name: str) -> RuleSet:
    if found is None:  # of an arena of an earlier version
        raise UnknownVariant(f"{what} {name[:80]} does not say by which rules it is played.")
    return found


def _own_file(request: Request, of: RuleSet, what: str) -> Response:
    """Send the variant's own file, to be saved by its name."""
    text = rules.get_own_text(of, f"{what} {request.path_params['name'][:80]}")
    saved = f'attachment; filename="{of.name}.toml"'
    return build_answer(request, text, "application/toml; charset=utf-8", content_disposition=saved)
