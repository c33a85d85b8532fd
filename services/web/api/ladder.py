"""Ladders below `/api/v1`."""
# ruff: noqa: A002 - `format` is the word in the address

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from maumau import answer
from services.web.api.reply import CURSOR, FORMAT, LIMIT, Api, Listed, as_json, as_table

NAME = Path(description="Name of a ladder.", examples=["prsi"])
BOT = Path(description="Name of a bot that has joined.", examples=["greedy"])
PAIRING = Path(description="epoch.number", examples=["3.17"])


def add(api: Api) -> None:
    """Puts the addresses of ladders there."""
    arena, kept = api.arena, api.kept

    @api.get("/ladders", answer.Ladder, "Ladders by name")
    async def ladders(request: Request) -> Response:
        return as_json(request, Listed(await kept(("ladders",), arena.ladders)))

    @api.get("/ladders/{name}", answer.GetLeaderboardResponse, "A ladder's table, best first")
    async def ladder(request: Request, name: str = NAME, format: str = FORMAT) -> Response:
        found = await kept(("ladder", name), lambda: arena.leaderboard(name))
        return as_json(request, found) if format == "json" else as_table(request, found.lines, format)

    @api.get("/ladders/{name}/bots/{bot}", answer.HeadToHead, "What a bot has played against each")
    async def versus(request: Request, name: str = NAME, bot: str = BOT, format: str = FORMAT) -> Response:
        found = await kept(("versus", name, bot), lambda: arena.head_to_head(name, bot))
        return as_table(request, found, format)

    @api.get("/ladders/{name}/pairings", answer.Pairing, "Who was paired with whom, newest first")
    async def pairings(
        request: Request,
        name: str = NAME,
        bot: str = Query("", description="Of this bot alone."),
        cursor: str = CURSOR,
        limit: int = LIMIT,
        format: str = FORMAT,
    ) -> Response:
        key = ("pairings", name, bot, cursor, str(limit))
        found, more = await kept(key, lambda: arena.pairings(name, bot, limit, cursor))
        return as_table(request, found, format, more)

    @api.get("/ladders/{name}/pairings/{pairing}", answer.ExplainPairingResponse, "Why a pair was made")
    async def explain(request: Request, name: str = NAME, pairing: str = PAIRING) -> Response:
        key = ("explain", name, pairing)
        return as_json(request, await kept(key, lambda: arena.explain_pairing(name, pairing)))

    @api.get("/ladders/{name}/epochs", answer.Epoch, "Epochs with their commitments, newest first")
    async def epochs(request: Request, name: str = NAME, format: str = FORMAT) -> Response:
        return as_table(request, await kept(("epochs", name), lambda: arena.epochs(name)), format)
