"""Live tables below `/api/v1`."""

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from maumau.client.live import Table
from services.web.api.reply import Api, Listed, as_json

ID = Path(description="Id of a table.", examples=["table_01hv3k9t2c5m7q8r4n6p0w1x2y"])


def add(api: Api) -> None:
    """Add the addresses of live tables."""
    arena, kept = api.arena, api.keep_answer

    @api.get_list("/tables", Table, "Live tables, newest first, without records")
    async def tables(
        request: Request, *, ended: bool = Query(default=False, description="Those that have ended lately.")
    ) -> Response:
        found = await kept(("tables", str(ended)), lambda: arena.list_tables(ended=ended))
        return as_json(request, Listed(found))

    @api.get("/tables/{id}", Table, "One live table; once it has ended with its record and its secret")
    async def table(request: Request, id: str = ID) -> Response:  # noqa: A002 - the word in the address
        return as_json(request, await kept(("table", id), lambda: arena.get_table(id)))
