"""Answers of `/api/v1`: JSON, lists in pages by cursor, tables as CSV and JSON lines; all documented."""

import csv
import io
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Any, Literal, TypeVar

import msgspec
from fastapi import APIRouter, Depends, Query
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from maumau.errors import BadRequest
from services.web.client import Arena
from services.web.delivery.cache import Cache
from services.web.http.response import build_answer as reply

T = TypeVar("T")
Handler = TypeVar("Handler", bound=Callable[..., Any])
FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
FORMATS = {"json": "application/json", "csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}
Format = Literal["json", "csv", "jsonl"]
FORMAT = Query("json", description="json, csv or jsonl")
CURSOR = Query("", description="`next` of the part before", examples=[""])
LIMIT = Query(100, ge=1, le=1000)
MANY = Query(1000, ge=1, le=10_000)

Schema = dict[str, Any]

COMPONENTS: dict[str, Any] = {}
"""Schemas of the answers, by name."""


class Listed(Struct, frozen=True):
    """Part of a list; `next` is the cursor of the next part, "" for the last one."""

    items: tuple[Any, ...]
    next: str = ""


class Api:
    """The router of handlers, and the arena that they query."""

    def __init__(self, arena: Arena, cache: Cache) -> None:
        self.arena, self._cache, self.router = arena, cache, APIRouter(prefix="/api/v1")

    def get(self, path: str, kind: Any, words: str) -> Callable[[Handler], Handler]:
        """Put a handler at an address that answers with one struct of this kind."""
        return self._add_route(path, words, _find_schema(kind))

    def get_list(self, path: str, kind: Any, words: str) -> Callable[[Handler], Handler]:
        """Put a handler at an address that answers with `Listed` structs of this kind."""
        return self._add_route(path, words, _list_schema(kind))

    def get_table(self, path: str, kind: Any, words: str, whole: Any = None) -> Callable[[Handler], Handler]:
        """Put a handler at an address that answers with a list in any of FORMATS.

        whole: the struct that JSON has instead of `Listed`, if the lines are a part of it.
        """
        schema = _find_schema(whole) if whole else _list_schema(kind)
        others = {form: {"schema": {"type": "string"}} for form in (FORMATS["csv"], FORMATS["jsonl"])}
        return self._add_route(path, words, schema, others)

    def _add_route(
        self, path: str, words: str, schema: Schema, others: Schema | None = None
    ) -> Callable[[Handler], Handler]:
        content = {FORMATS["json"]: {"schema": schema}, **(others or {})}
        said = {200: {"description": words, "content": content}, **REFUSALS}
        checks = [Depends(refuse_unknown)]
        return self.router.get(
            path, summary=words, response_class=Response, responses=said, dependencies=checks
        )

    def keep_answer(self, key: tuple[str, ...], ask: Callable[[], Awaitable[T]]) -> Awaitable[T]:
        """Return an answer of the arena, queried at most once a second."""
        return self._cache.get(("api", *key), ask)


async def refuse_unknown(request: Request) -> None:
    """Raise BadRequest if the query has a parameter that the route does not, which would be ignored."""
    known = sorted(one.alias for one in request.scope["route"].dependant.query_params)
    for name in request.query_params:
        if name not in known:
            raise BadRequest(f"{name[:80]}: no such parameter; known here: {', '.join(known) or 'none'}.")


def as_json(request: Request, found: Any) -> Response:
    """Answer with a struct as JSON."""
    return reply(request, msgspec.json.encode(found), FORMATS["json"])


def as_list(
    request: Request, found: Sequence[Any], key: Callable[[Any], str], cursor: str, limit: int, form: str
) -> Response:
    """Answer with the items after the one whose key is the cursor."""
    keys = [key(one) for one in found]
    if cursor and cursor not in keys:
        raise BadRequest(f"{cursor[:80]!r} is not the cursor of this list.")
    start = keys.index(cursor) + 1 if cursor else 0
    part = tuple(found[start : start + limit])
    more = key(part[-1]) if part and start + limit < len(found) else ""
    return as_table(request, part, form, more)


def as_table(request: Request, rows: Sequence[Struct], form: str, more: str = "") -> Response:
    """Answer with rows in the requested form; more: the cursor of the next ones, for JSON only."""
    if form == "csv":
        return reply(request, as_csv(rows), FORMATS["csv"])
    if form == "jsonl":
        return reply(request, b"".join(msgspec.json.encode(row) + b"\n" for row in rows), FORMATS["jsonl"])
    return as_json(request, Listed(tuple(rows), more))


def as_csv(rows: Sequence[Struct]) -> str:
    """Return rows as CSV, without lists and structs; no cell is a formula for a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    fields = rows[0].__struct_fields__ if rows else ()
    plain = [name for name in fields if not isinstance(getattr(rows[0], name), (tuple, Struct))]
    writer.writerow(plain)
    for row in rows:
        writer.writerow([_format_cell(getattr(row, name)) for name in plain])
    return out.getvalue()


def _format_cell(value: Any) -> str:
    text = "".join(c for c in str("" if value is None else value) if c.isprintable())
    return "'" + text if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


@cache
def _find_schema(kind: Any) -> Schema:
    """Return a reference to the schema of a struct, which is added to COMPONENTS; not to be changed."""
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="#/components/schemas/{name}")
    COMPONENTS.update(parts)
    return schema


def _list_schema(kind: Any) -> Schema:
    """Return the schema of a `Listed` whose items are of this kind."""
    items = {"type": "array", "items": _find_schema(kind)}
    return {
        "type": "object",
        "properties": {"items": items, "next": {"type": "string"}},
        "required": ["items", "next"],
        "additionalProperties": False,
    }


def _document_problem(words: str) -> Schema:
    said = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {"description": f"{words} (RFC 9457)", "content": {"application/problem+json": said}}


REFUSALS: dict[int | str, dict[str, Any]] = {
    304: {"description": "Not changed since the answer with the ETag of `If-None-Match`"},
    "default": _document_problem("A problem"),
    **{
        status: _document_problem(words)
        for status, words in {
            400: "Invalid parameter",
            403: "Not for the public, or not yet",
            404: "Not found",
            429: "Too many requests",
            503: "The arena does not answer",
        }.items()
    },
}
"""Answers of every address beside 200."""
