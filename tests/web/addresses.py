"""Addresses of all public pages, from their routes: what the tests in a browser open."""

from __future__ import annotations

from typing import Final
from unittest.mock import MagicMock

from services.web.http.route import STREAM
from services.web.routes.public import list_embeds, list_public_pages

FILES: Final = (".toml", "/record", "/data", "/{file}")
"""The ends of addresses below which no page is, but a file."""
EXAMPLES: Final = {
    "/live": {"{label}": "3.1"},
    "/contests/{name}/matches": {"{name}": "old", "{label}": "1.1.2"},
    "/contests/{name}/certificates": {"{name}": "old"},
    "/contests": {"{name}": "cup"},
    "/ladders": {"{name}": "prsi", "{label}": "2.9"},
    "/bots": {"{name}": "greedy"},
    "/authors": {"{name}": "house"},
    "/rules": {"{name}": "prsi"},
    "/tables": {"{id}": "table_2"},
    "/sets": {"{number:int}": "3"},
}
"""The things of the test `lively` that stand for the parameters of an address, by a part of it."""
OTHERS: Final = (
    "/nowhere", "/contests/cup?wall=1", "/contests/cup/matches/1.1.1", "/ladders/prsi/pairings/2.8",
    "/authors/reds", "/search?q=e", "/tables/table_1", "/tables/table_3", "/embed/contests/nowhere",
)  # fmt: skip
"""Pages in other states, and pages of things that do not exist."""


def list_routes() -> list[str]:
    """Return the addresses of all public pages as they are registered, without streams and files."""
    pages = list_public_pages(MagicMock(), MagicMock(), MagicMock(), MagicMock())
    every = [*pages, *list_embeds(MagicMock())]
    return [path for path in every if not path.endswith(FILES) and not path.startswith(STREAM)]


def fill_route(path: str) -> str:
    """Return an address at which the test `lively` has something: a new kind of thing needs an example."""
    found = path
    for part, values in EXAMPLES.items():
        if part in path:
            for name, value in values.items():
                found = found.replace(name, value)
    assert "{" not in found, f"EXAMPLES has nothing for {path}"
    return found


PATHS: Final = (*map(fill_route, list_routes()), *OTHERS)
