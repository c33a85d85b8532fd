"""`/api/v1`: every page's data as JSON; tables as CSV and JSON lines too. OpenAPI: `/api/v1/openapi.json`."""

from collections.abc import Mapping

from fastapi import APIRouter
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from services.web.api import bot, contest, ladder, table
from services.web.api.reply import Api, as_json
from services.web.cache import Cache
from services.web.client import Arena


class Status(Struct, frozen=True):
    """Whether each service answers."""

    services: Mapping[str, bool]


def router(arena: Arena, cache: Cache) -> APIRouter:
    """The addresses below `/api/v1`."""
    api = Api(arena, cache)

    @api.get("/status", Status, "Whether each service answers")
    async def status(request: Request) -> Response:
        return as_json(request, Status(await cache.get("wellness", arena.wellness)))

    for part in (contest, ladder, bot, table):
        part.add(api)
    return api.router
