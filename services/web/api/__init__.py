"""`/api/v1`: every page's data as JSON; tables as CSV and JSON lines too. OpenAPI: `/api/v1/openapi.json`."""

from collections.abc import Mapping

from fastapi import APIRouter
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from maumau.client.answer import NeedState, Rate, StateCount, WaitCount
from maumau.client.arena_status import ArenaStatus
from services.web.api import bot, contest, ladder, table
from services.web.api.reply import Api, as_json
from services.web.client import Arena
from services.web.delivery.cache import Cache


class Status(Struct, frozen=True):
    """The status of the arena. services: whether each answers. unread: those that give no figures.

    late: those of `states` that have lasted too long. needs: by service.
    """

    is_well: bool
    services: Mapping[str, bool]
    unread: tuple[str, ...]
    states: tuple[StateCount, ...]
    late: tuple[StateCount, ...]
    waits: tuple[WaitCount, ...]
    rates: tuple[Rate, ...]
    needs: Mapping[str, tuple[NeedState, ...]]


def router(arena: Arena, cache: Cache) -> APIRouter:
    """Return the router of the addresses below `/api/v1`."""
    api = Api(arena, cache)

    @api.get("/status", Status, "Whether all is well: what waits, since when, and how fast it goes")
    async def status(request: Request) -> Response:
        return as_json(request, _status_of(await cache.get("arena_status", arena.arena_status)))

    for part in (contest, ladder, bot, table):
        part.add(api)
    return api.router


def _status_of(found: ArenaStatus) -> Status:
    answers = {name: how != "silent" for name, how in found.services.items()}
    unread = tuple(name for name, how in found.services.items() if how == "unread")
    figures = found.states, found.late, found.waits, found.rates, found.needs
    return Status(found.is_well, answers, unread, *figures)
