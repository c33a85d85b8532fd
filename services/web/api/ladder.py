"""Ladders below `/api/v1`."""
# ruff: noqa: A002 - `format` is the word in the address

import msgspec
from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from maumau.client import answer
from services.web.api.reply import CURSOR, FORMAT, LIMIT, Api, Format, Listed, as_json, as_table

NAME = Path(description="Name of a ladder.", examples=["prsi"])
BOT = Path(description="Name of a bot that has joined.", examples=["greedy"])
PAIRING = Path(description="epoch.number", examples=["3.17"])


def add(api: Api) -> None:
    """Add the addresses of ladders."""
    arena, kept = api.arena, api.keep_answer

    @api.get_list("/ladders", answer.Ladder, "Ladders by name")
    async def ladders(request: Request) -> Response:
        return as_json(request, Listed(await kept(("ladders",), arena.list_ladders)))

    @api.get_table(
        "/ladders/{name}",
        answer.LeaderboardLine,
        "A ladder's table, best first",
        whole=answer.GetLeaderboardResponse,
    )
    async def ladder(request: Request, name: str = NAME, format: Format = FORMAT) -> Response:
        found = await kept(("ladder", name), lambda: arena.get_leaderboard(name))
        return as_json(request, found) if format == "json" else as_table(request, found.lines, format)

    @api.get_table("/ladders/{name}/bots/{bot}", answer.HeadToHead, "A bot's results by opponent")
    async def versus(request: Request, name: str = NAME, bot: str = BOT, format: Format = FORMAT) -> Response:
        found = await kept(("versus", name, bot), lambda: arena.head_to_head(name, bot))
        return as_table(request, found, format)

    add_pairings(api)
    add_sets(api)

    @api.get_table("/ladders/{name}/epochs", answer.Epoch, "Epochs with their commitments, newest first")
    async def epochs(request: Request, name: str = NAME, format: Format = FORMAT) -> Response:
        return as_table(request, await kept(("epochs", name), lambda: arena.list_epochs(name)), format)


def add_pairings(api: Api) -> None:
    """Add the addresses of pairings."""
    arena, kept = api.arena, api.keep_answer

    @api.get_table("/ladders/{name}/pairings", answer.Pairing, "Who was paired with whom, newest first")
    async def pairings(
        request: Request,
        name: str = NAME,
        bot: str = Query("", description="Of this bot alone."),
        cursor: str = CURSOR,
        limit: int = LIMIT,
        format: Format = FORMAT,
        *,
        over: bool = Query(default=False, description="Only those that are over."),
    ) -> Response:
        key = ("pairings", name, bot, str(over), cursor, str(limit))
        found, more = await kept(key, lambda: arena.list_pairings(name, bot, limit, cursor, over=over))
        return as_table(request, found, format, more)

    @api.get("/ladders/{name}/pairings/{pairing}", answer.ExplainPairingResponse, "Why a pair was made")
    async def explain(request: Request, name: str = NAME, pairing: str = PAIRING) -> Response:
        key = ("explain", name, pairing)
        return as_json(request, await kept(key, lambda: arena.explain_pairing(name, pairing)))


class SetRow(msgspec.Struct, frozen=True):
    """A deal set in a table of plain cells; scores and points: of all bots, a colon between them."""

    set: int
    block: int
    scores: str
    unit: int
    points: str
    seed: str


def _build_row(one: answer.SetSummary) -> SetRow:
    scores, points = (" : ".join(map(str, each)) for each in (one.scores, one.points))
    return SetRow(one.set, one.block, scores, one.unit, points, one.seed)


def add_sets(api: Api) -> None:
    """Add the addresses of a pairing's deal sets."""
    arena, kept = api.arena, api.keep_answer
    path = "/ladders/{name}/pairings/{pairing}/sets"

    @api.get_table(path, answer.SetSummary, "The deal sets of a pairing that are booked")
    async def sets(
        request: Request,
        name: str = NAME,
        pairing: str = PAIRING,
        cursor: str = CURSOR,
        limit: int = LIMIT,
        format: Format = FORMAT,
    ) -> Response:
        key = ("pairing sets", name, pairing, cursor, str(limit))
        found, more = await kept(key, lambda: arena.pairing_sets(name, pairing, limit, cursor))
        rows = [_build_row(one) for one in found] if format == "csv" else found
        return as_table(request, rows, format, more)

    @api.get(path + "/{number}", answer.GetPairingSetResponse, "A deal set of a pairing, as it was played")
    async def deal_set(request: Request, number: int, name: str = NAME, pairing: str = PAIRING) -> Response:
        key = ("pairing set", name, pairing, str(number))
        return as_json(request, await kept(key, lambda: arena.pairing_set(name, pairing, number)))
