"""How `/api/v1` answers: JSON, lists in parts by cursor, tables as CSV and JSON lines; all described."""

import csv
import io
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec
from fastapi import APIRouter, Query
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from maumau.errors import BadRequest
from services.web.cache import Cache
from services.web.client import Arena
from services.web.response import answer as reply

T = TypeVar("T")
Handler = TypeVar("Handler", bound=Callable[..., Any])
FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
FORMATS = {"json": "application/json", "csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}
FORMAT = Query("json", description="json, csv or jsonl", pattern="^(json|csv|jsonl)$")
CURSOR = Query("", description="`next` of the part before", examples=[""])
LIMIT = Query(100, ge=1, le=1000)
MANY = Query(1000, ge=1, le=10_000)

COMPONENTS: dict[str, Any] = {}
"""Schemas of what is answered, by name."""


class Listed(Struct, frozen=True):
    """Part of a list; `next` is the cursor of the part after it, "" if this is the last one."""

    items: tuple[Any, ...]
    next: str = ""


class Api:
    """Where handlers are put, and what they ask."""

    def __init__(self, arena: Arena, cache: Cache) -> None:
        self.arena, self._cache, self.router = arena, cache, APIRouter(prefix="/api/v1")

    def get(self, path: str, kind: Any, words: str) -> Callable[[Handler], Handler]:
        """Puts a handler at an address; it answers with structs of this kind."""
        return self.router.get(path, summary=words, response_class=Response, responses=_documented(kind))

    def kept(self, key: tuple[str, ...], ask: Callable[[], Awaitable[T]]) -> Awaitable[T]:
        """An answer of the arena, asked for once in a second."""
        return self._cache.get(("api", *key), ask)


def as_json(request: Request, found: Any) -> Response:
    """This struct."""
    return reply(request, msgspec.json.encode(found), FORMATS["json"])


def as_list(
    request: Request, found: Sequence[Any], key: Callable[[Any], str], cursor: str, limit: int, form: str
) -> Response:
    """The things after the one whose key is the cursor."""
    keys = [key(one) for one in found]
    if cursor and cursor not in keys:
        raise BadRequest(f"{cursor[:80]!r} is not the cursor of this list.")
    start = keys.index(cursor) + 1 if cursor else 0
    part = tuple(found[start : start + limit])
    more = key(part[-1]) if part and start + limit < len(found) else ""
    return as_table(request, part, form, more)


def as_table(request: Request, rows: Sequence[Struct], form: str, more: str = "") -> Response:
    """These rows in the form that is asked for; more: the cursor of those after them, which JSON tells."""
    if form == "csv":
        return reply(request, as_csv(rows), FORMATS["csv"])
    if form == "jsonl":
        return reply(request, b"".join(msgspec.json.encode(row) + b"\n" for row in rows), FORMATS["jsonl"])
    return as_json(request, Listed(tuple(rows), more))


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
