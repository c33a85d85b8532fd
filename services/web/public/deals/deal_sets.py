"""The public pages of deal sets, of contests and of ladders alike: in a table, and one by one as a replay."""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.client.answer import RuleSet, SetResult
from maumau.client.game_deals import PlayedGame, list_games, pick_round
from maumau.errors import BadRequest, UnknownPairing
from maumau.page.drawn import Drawn
from maumau.page.labels import list_labels
from services.web.client import Arena
from services.web.delivery.frame import Frame, language_of
from services.web.http.response import build_answer
from services.web.public.deals.replay import (
    SetList,
    build_seatings,
    join_records,
    load_own_rules,
    make_match_sets,
    make_pairing_sets,
)

ROWS = 500  # sets of a table
MOST_DIGITS = 8
SET_SECONDS = 60.0  # that a set is kept: a retake may change it


class ShownSet(Struct, frozen=True):
    """A deal set, its drawings, the sets that it belongs to, and its rules.

    games: if it has whole games, of which `deals` and `played` have deal number `round`, and `whole` all.
    """

    listed: SetList
    played: SetResult
    deals: list[Drawn]
    rules: RuleSet | None = None
    games: tuple[PlayedGame, ...] = ()
    round: int = 0
    whole: SetResult | None = None


Find = Callable[[Request], Awaitable[ShownSet]]


class ReplayPages:
    """Handlers of these pages; they raise the arena's errors, which `app` turns into pages."""

    def __init__(self, arena: Arena, frame: Frame) -> None:
        self._arena, self._frame, self._cache = arena, frame, frame.cache

    async def match_sets(self, request: Request) -> Response:
        """Show the sets in a table, some at a time; redirect from the form of a match's page to one set."""
        name, label = request.path_params["name"], request.path_params["label"]
        if "n" in request.query_params:
            number = read_number(request, "n")
            here = f"/contests/{quote(name, safe='')}/matches/{quote(label, safe='')}/sets"
            return RedirectResponse(f"{here}/{number}", 303)
        first = read_number(request, "from")
        match = (await self._arena.get_match(name, label, newest=1)).match
        sets = await self._arena.some_set_scores(name, label, first, ROWS)
        listed = make_match_sets(name, label, tuple(match.names.values()))
        return self._frame.render_page(
            request,
            "sets",
            here="contests",
            listed=listed,
            counted=match.sets,
            first=first,
            sets=sets,
            page=listed.at,
            rows=ROWS,
        )

    async def show_pairing(self, request: Request) -> Response:
        """Show a pairing: why it was made, its score, and its sets in a table."""
        name, label = request.path_params["name"], request.path_params["label"]
        first = read_number(request, "from")
        explained = await self._arena.explain_pairing(name, label)
        pairing = explained.pairing
        if pairing is None:
            raise UnknownPairing(f"The ladder {name} has no pairing {label[:80]}.", thing=label[:80])
        sets, _ = await self._arena.pairing_sets(name, label, ROWS, first=first)
        listed = make_pairing_sets(name, label, tuple(pairing.names.values()), pairing.booked)
        return self._frame.render_page(
            request,
            "pairing",
            here="ladders",
            listed=listed,
            counted=pairing.booked,
            first=first,
            sets=sets,
            page=listed.way[-1][1],
            rows=ROWS,
            pairing=pairing,
            words=explained.words,
            ladder=name,
        )

    async def show_replay(self, here: str, find: Find, request: Request) -> Response:
        """Show the replay of a set."""
        found = await find(request)
        return self._frame.render_page(
            request,
            "set",
            here=here,
            listed=found.listed,
            number=found.played.number,
            deals=found.deals,
            labels=list_labels(language_of(request)),
            games=found.games,
            round=found.round,
        )

    async def find_match_set(self, request: Request) -> ShownSet:
        """Return a set of a match; raise NotYours while the contest goes on."""
        name, label, number = _read_address(request)
        language, at = language_of(request), read_number(request, "round")

        async def ask() -> ShownSet:
            found = await self._arena.deal_set(name, label, number)
            rules = (await self._arena.get_tournament(name)).rules
            listed = make_match_sets(name, label, found.names)
            return await asyncio.to_thread(_show_set, listed, found.set, rules, language, at)

        return await self._cache.get(("set", name, label, number, language, at), ask, lambda _: SET_SECONDS)

    async def find_pairing_set(self, request: Request) -> ShownSet:
        """Return a set of a pairing."""
        name, label, number = _read_address(request)
        language = language_of(request)

        async def ask() -> ShownSet:
            found = await self._arena.pairing_set(name, label, number)
            names = found.distinct_names
            deals = await asyncio.to_thread(build_seatings, found.set, names, found.rules, language)
            booked = found.pairing.booked if found.pairing else 0
            listed = make_pairing_sets(name, label, names, booked)
            return ShownSet(listed, found.set, deals, found.rules)

        key = ("pairing set", name, label, number, language)
        return await self._cache.get(key, ask, lambda _: SET_SECONDS)


async def send_data(find: Find, request: Request) -> Response:
    """Send the drawings, which the replay on the page shows."""
    found = await find(request)
    return build_answer(request, msgspec.json.encode(found.deals), "application/json")


async def send_record(find: Find, request: Request) -> Response:
    """Send the records of a set's deals."""
    found = await find(request)
    return build_answer(request, join_records(found.whole or found.played), "text/plain; charset=utf-8")


def _show_set(listed: SetList, found: SetResult, rules: RuleSet | None, language: str, at: int) -> ShownSet:
    """Return a set, of whole games one deal. at: its number; the last one there is, if it is too large."""
    games = tuple(list_games(found, load_own_rules(rules)))
    if not games:
        return ShownSet(listed, found, build_seatings(found, listed.names, rules, language), rules)
    at = min(at, max(len(game.deals) for game in games) - 1)
    shown = pick_round(found, games, at)
    seating = list_labels(language)["seating_n"]
    deals = [
        replace(drawn, title=seating.replace("#", str(deal.entrants[0])))  # other seatings may have ended
        for drawn, deal in zip(build_seatings(shown, listed.names, rules, language), shown.deals, strict=True)
    ]
    return ShownSet(listed, shown, deals, rules, games, at, found)


def _read_address(request: Request) -> tuple[str, str, int]:
    """Return the name, the label and the number of a set in its address."""
    at = request.path_params
    return at["name"], at["label"], at["number"]


def read_number(request: Request, name: str) -> int:
    """Return the number of a set in an address, 0 if it has none; raise BadRequest for anything else."""
    typed = request.query_params.get(name, "")
    if typed and not (typed.isascii() and typed.isdigit() and len(typed) <= MOST_DIGITS):
        kind = f"a whole number of at most {MOST_DIGITS} digits"
        raise BadRequest(f"{name}: expected {kind}, not {typed[:80]!r}.")
    return int(typed or 0)
