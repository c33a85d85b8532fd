"""Bots below `/api/v1`."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from maumau import answer
from services.web.api.reply import CURSOR, LIMIT, Api, as_list


def add(api: Api) -> None:
    """Puts the addresses of bots there."""

    @api.get("/bots", answer.Bot, "Bots by name, with their versions")
    async def bots(request: Request, cursor: str = CURSOR, limit: int = LIMIT) -> Response:
        found = tuple(map(public_bot, await api.kept(("bots",), api.arena.bots)))
        return as_list(request, found, lambda one: one.name, cursor, limit, "json")


def public_bot(bot: answer.Bot) -> answer.Bot:
    """Without the words of its validation, which are its author's."""
    versions = tuple(msgspec.structs.replace(one, reason="", progress="") for one in bot.versions)
    return msgspec.structs.replace(bot, versions=versions)
