"""Bots below `/api/v1`."""

import msgspec
from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from maumau import answer
from maumau.errors import UnknownBot
from services.web.api.reply import CURSOR, LIMIT, Api, Listed, as_json, as_list

NAME = Path(description="Name of a bot.", examples=["greedy"])


def add(api: Api) -> None:
    """Puts the addresses of bots there."""

    @api.get("/bots", answer.Bot, "Bots by name, with their versions")
    async def bots(request: Request, cursor: str = CURSOR, limit: int = LIMIT) -> Response:
        found = tuple(map(public_bot, await api.kept(("bots",), api.arena.bots)))
        return as_list(request, found, lambda one: one.name, cursor, limit, "json")

    @api.get("/bots/{name}", answer.Bot, "One bot")
    async def bot(request: Request, name: str = NAME) -> Response:
        found = await api.kept(("bots",), api.arena.bots)
        for one in found:
            if one.name == name:
                return as_json(request, public_bot(one))
        raise UnknownBot(f"There is no bot {name[:80]!r}.")

    @api.get("/ladders/{ladder}/bots/{name}/history", answer.VersionHistory, "A bot's rating over time")
    async def history(request: Request, ladder: str, name: str = NAME) -> Response:
        key = ("history", ladder, name)
        found = await api.kept(key, lambda: api.arena.rating_history(ladder, name))
        return as_json(request, Listed(found))


def public_bot(bot: answer.Bot) -> answer.Bot:
    """Without the words of its validation, which are its author's."""
    versions = tuple(msgspec.structs.replace(one, reason="", progress="") for one in bot.versions)
    return msgspec.structs.replace(bot, versions=versions)
