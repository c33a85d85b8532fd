"""The pages of tables before a real engine: two programs play, and the page follows to the end."""

from __future__ import annotations

import pytest

from bench.support.patience import patient
from maumau.errors import UnknownTable
from maumau.game import replay
from services.web.call import STUBS
from services.web.client import Arena as Pages
from services.web.delivery.feed import Feed
from services.web.public.live_table import ListSource, TableSource, draw_public
from tests.support.arenas.seat import Player


@pytest.fixture
def pages(arena):
    """Yield the calls of the page's server."""

    token = arena.author()

    async def connect() -> Pages:
        return Pages(dict.fromkeys(STUBS, arena.address), token)

    pages = arena.loop.run(connect())
    yield pages
    arena.loop.run(pages.close())


def test_a_page_follows_a_table_to_its_end(arena, pages) -> None:
    author = arena.engine(arena.author())
    made = author.CreateTable(rules={"name": "prsi"}, seats=2, names=["ada", "<b>bold</b>"])
    table_id, run = made.table.id, arena.loop.run
    waiting = run(TableSource(pages, table_id).load_view())
    assert (waiting.table.state, waiting.table.created_at.timestamp() > 0) == ("waiting", True)
    assert "0 of 2 have come" in draw_public(waiting, "en")["words"][-1]
    assert table_id in [one.id for one in run(ListSource(pages).load_view()).open]
    feed = Feed()
    players = [Player([arena.engine()], token) for token in made.seat_tokens]
    run(TableSource(pages, table_id).update_feed(feed))
    for player in players:
        player.join(patient(20))
    view = feed.view
    assert feed.over
    assert (view.table.state, view.table.names) == ("over", ("ada", "<b>bold</b>"))
    d = replay(view.table.record)
    assert list(view.events) == d.watched()
    assert [len(hand) for hand in view.hands] == view.open["counts"]
    assert run(TableSource(pages, table_id).load_view()).hands == view.hands
    assert table_id in [one.id for one in run(ListSource(pages).load_view()).ended]


def test_a_table_that_is_closed_is_void_on_its_page(arena, pages) -> None:
    author = arena.engine(arena.author())
    table_id = author.CreateTable(rules={"name": "prsi"}, seats=2).table.id
    author.CloseTable(table_id=table_id, words="nobody came")
    view = arena.loop.run(TableSource(pages, table_id).load_view())
    assert view.table.state == "void"
    assert "nobody came" in draw_public(view, "en")["words"][-1]


def test_an_unlisted_table_is_none_for_the_page(arena, pages) -> None:
    author = arena.engine(arena.author())
    table_id = author.CreateTable(rules={"name": "prsi"}, seats=2, unlisted=True).table.id
    with pytest.raises(UnknownTable):
        arena.loop.run(TableSource(pages, table_id).load_view())
