"""`/api/v1`: every page's data as JSON; tables as CSV and JSON lines too. OpenAPI: `/api/v1/openapi.json`."""

import csv
import io
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from fastapi import APIRouter, Path, Query
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from maumau import answer
from maumau.errors import BadRequest
from services.web.cache import Cache
from services.web.client import Arena
from services.web.response import answer as reply

T = TypeVar("T")
Handler = TypeVar("Handler", bound=Callable[..., Any])
FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
FORMATS = {"json": "application/json", "csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}
NAME = Path(description="Name or id of a contest.", examples=["cup"])
LABEL = Path(description="stage.round.number", examples=["1.1.1"])
FORMAT = Query("json", description="json, csv or jsonl", pattern="^(json|csv|jsonl)$")


class Listed(Struct, frozen=True):
    """Part of a list; `next` is the cursor of the part after it, "" if this is the last one."""

    items: tuple[Any, ...]
    next: str = ""


class Status(Struct, frozen=True):
    """Whether each service answers."""

    services: Mapping[str, bool]


def router(arena: Arena, cache: Cache) -> APIRouter:  # noqa: C901 - one short handler for each address
    """The addresses below `/api/v1`."""
    made = APIRouter(prefix="/api/v1")

    def get(path: str, kind: Any, words: str) -> Callable[[Handler], Handler]:
        return made.get(path, summary=words, response_class=Response, responses=_documented(kind))

    def kept(key: tuple[str, ...], ask: Callable[[], Awaitable[T]]) -> Awaitable[T]:
        return cache.get(("api", *key), ask)

    @get("/status", Status, "Whether each service answers")
    async def status(request: Request) -> Response:
        return _json(request, Status(await cache.get("wellness", arena.wellness)))

    @get("/contests", answer.Tournament, "Contests, newest first")
    async def contests(
        request: Request,
        cursor: str = Query("", description="`next` of the part before", examples=[""]),
        limit: int = Query(100, ge=1, le=1000),
        format: str = FORMAT,  # noqa: A002 - the word in the address
    ) -> Response:
        found = await kept(("contests",), lambda: arena.tournaments(1000))
        return _listed(request, found, lambda one: one.id, cursor, limit, format)

    @get("/contests/{name}", answer.Tournament, "One contest")
    async def contest(request: Request, name: str = NAME) -> Response:
        return _json(request, await kept(("contest", name), lambda: arena.tournament(name)))

    @get("/contests/{name}/standings", answer.Standing, "The table as it stands, best first")
    async def standings(request: Request, name: str = NAME, format: str = FORMAT) -> Response:  # noqa: A002
        found = await kept(("standings", name), lambda: arena.standings(name))
        return _table(request, found.standings, format)

    @get("/contests/{name}/bracket", answer.Round, "The bracket, round by round")
    async def bracket(request: Request, name: str = NAME) -> Response:
        return _json(request, Listed(await kept(("bracket", name), lambda: arena.bracket(name))))

    @get("/contests/{name}/matches", answer.Match, "All matches by label")
    async def matches(
        request: Request,
        name: str = NAME,
        cursor: str = Query("", description="`next` of the part before"),
        limit: int = Query(1000, ge=1, le=10_000),
        format: str = FORMAT,  # noqa: A002
    ) -> Response:
        found = await kept(("matches", name), lambda: arena.matches(name))
        return _listed(request, found, lambda one: one.label, cursor, limit, format)

    @get("/contests/{name}/matches/{label}", answer.GetMatchResponse, "A match with blocks and faults")
    async def match(request: Request, name: str = NAME, label: str = LABEL) -> Response:
        return _json(
            request, public_match(await kept(("match", name, label), lambda: arena.match(name, label)))
        )

    @get(
        "/contests/{name}/matches/{label}/sets/{number}",
        answer.GetSetResponse,
        "A deal set, once it may be seen",
    )
    async def deal_set(request: Request, number: int, name: str = NAME, label: str = LABEL) -> Response:
        key = ("set", name, label, str(number))
        return _json(request, await kept(key, lambda: arena.deal_set(name, label, number)))

    @get("/bots", answer.Bot, "Bots by name, with their versions")
    async def bots(request: Request) -> Response:
        found = await kept(("bots",), arena.bots)
        return _json(request, Listed(tuple(map(public_bot, found))))

    return made


def public_match(found: answer.GetMatchResponse) -> answer.GetMatchResponse:
    """Without what a program wrote to its log, which is its author's."""
    faults = tuple(msgspec.structs.replace(fault, error="") for fault in found.faults)
    return msgspec.structs.replace(found, faults=faults)


def public_bot(bot: answer.Bot) -> answer.Bot:
    """Without the words of its validation, which are its author's."""
    versions = tuple(msgspec.structs.replace(one, reason="", progress="") for one in bot.versions)
    return msgspec.structs.replace(bot, versions=versions)


def _json(request: Request, found: Any) -> Response:
    return reply(request, msgspec.json.encode(found), FORMATS["json"])


def _listed(
    request: Request, found: Sequence[Any], key: Callable[[Any], str], cursor: str, limit: int, form: str
) -> Response:
    """The things after the one whose key is the cursor."""
    keys = [key(one) for one in found]
    if cursor and cursor not in keys:
        raise BadRequest(f"{cursor[:80]!r} is not the cursor of this list.")
    start = keys.index(cursor) + 1 if cursor else 0
    part = tuple(found[start : start + limit])
    if form != "json":
        return _table(request, part, form)
    return _json(request, Listed(part, key(part[-1]) if start + limit < len(found) else ""))


def _table(request: Request, rows: Sequence[Struct], form: str) -> Response:
    if form == "csv":
        return reply(request, as_csv(rows), FORMATS["csv"])
    if form == "jsonl":
        return reply(request, b"".join(msgspec.json.encode(row) + b"\n" for row in rows), FORMATS["jsonl"])
    return _json(request, Listed(tuple(rows)))


def as_csv(rows: Sequence[Struct]) -> str:
    """A line for each, lists and structs left out; no cell is a formula for a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    fields = rows[0].__struct_fields__ if rows else ()
    plain = [name for name in fields if not isinstance(getattr(rows[0], name), (tuple, Struct))]
    writer.writerow(plain)
    for row in rows:
        writer.writerow([_cell(getattr(row, name)) for name in plain])
    return out.getvalue()


def _cell(value: Any) -> str:
    text = "".join(c for c in str("" if value is None else value) if c.isprintable())
    return "'" + text if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def _documented(kind: Any) -> dict[int | str, dict[str, Any]]:
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="#/components/schemas/{name}")
    COMPONENTS.update(parts)
    said = {"schema": {"$ref": "#/components/schemas/Problem"}}
    problem = {"description": "Problem (RFC 9457)", "content": {"application/problem+json": said}}
    return {
        200: {"description": "", "content": {"application/json": {"schema": schema}}},
        404: problem,
        503: problem,
    }


COMPONENTS: dict[str, Any] = {}
"""Schemas of what is answered, by name."""
