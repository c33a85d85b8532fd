"""Bots below `/api/v1`."""

from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from maumau.client import answer
from services.web.api.reply import CURSOR, LIMIT, Api, Listed, as_json, as_list
from services.web.public.bot import public_bot

NAME = Path(description="Name of a bot.", examples=["greedy"])


def add(api: Api) -> None:
    """Add the addresses of bots."""

    @api.get_list("/bots", answer.Bot, "Bots by name, with their versions")
    async def bots(request: Request, cursor: str = CURSOR, limit: int = LIMIT) -> Response:
        found = tuple(map(public_bot, await api.keep_answer(("bots",), api.arena.list_bots)))
        return as_list(request, found, lambda one: one.name, cursor, limit, "json")

    @api.get("/bots/{name}", answer.Bot, "One bot; a retired one, too")
    async def bot(request: Request, name: str = NAME) -> Response:
        found = await api.keep_answer(("bots",), api.arena.list_bots)
        key = "retired bot", name
        one = next((each for each in found if each.name == name), None)
        if one is None:
            one = await api.keep_answer(key, lambda: api.arena.load_retired_bot(name))
        return as_json(request, public_bot(one))

    @api.get_list("/ladders/{ladder}/bots/{name}/history", answer.VersionHistory, "A bot's rating over time")
    async def history(request: Request, ladder: str, name: str = NAME) -> Response:
        key = ("history", ladder, name)
        found = await api.keep_answer(key, lambda: api.arena.rating_history(ladder, name))
        return as_json(request, Listed(found))
