"""Every public page is opened in a browser, whose tests find what nobody should have to put up with."""

from __future__ import annotations

from unittest.mock import MagicMock

from starlette.routing import compile_path

from services.web.routes.public import list_deal_sets, list_embeds, list_live_pages, list_pages
from tests.web.test_browser import PATHS

FILES = (".toml", "/record", "/data", "/{file}")
"""The ends of addresses below which no page is, but a file."""


def test_every_public_page_is_opened_in_a_browser() -> None:
    pages, replays = MagicMock(), MagicMock()
    registered = {*list_pages(pages, MagicMock()), *list_live_pages(pages), *list_deal_sets(replays)}
    registered |= list_embeds(MagicMock()).keys()
    opened = [path.partition("?")[0] for path in PATHS]
    missing = {
        page
        for page in registered
        if not page.endswith(FILES) and not any(compile_path(page)[0].match(path) for path in opened)
    }
    assert len(registered) > 20
    assert missing == set()
