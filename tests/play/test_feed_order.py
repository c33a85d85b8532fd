"""A player's page never goes back: of two views that were read at once, either may arrive first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.web.call import STUBS
from services.web.client import Arena as Pages
from services.web.delivery.feed import Feed
from services.web.play.lobby import Wish, open_table
from services.web.play.seat_view import PlayView, SeatSource, publish_newer
from services.web.seat import Payer
from tests.support.waiting import until
from tests.web.visitor import READER


@pytest.fixture
def engine(arena) -> Iterator[Pages]:
    async def connect() -> Pages:
        return Pages(dict.fromkeys(STUBS, arena.address), READER)

    engine = arena.loop.run(connect())
    yield engine
    arena.loop.run(engine.close())


def test_a_view_that_was_read_before_an_answer_and_arrives_after_it_is_not_shown(arena, engine) -> None:
    run = arena.loop.run
    one = run(open_table(engine, Wish(rules="mau_mau"), "guest", Payer(guest="a7" * 16, network="b7" * 16)))
    source, feed = SeatSource(engine, one), Feed()

    def find_turn() -> PlayView | None:
        view = run(source.load_view())
        return view if view.is_asked or view.is_over else None

    before = until(find_turn, 60)
    refused, _ = run(engine.play_action(one.token, before.cursor, "op_order", before.seen["legal"][0]))
    assert not refused
    after = until(lambda: found if (found := find_turn()) and found.cursor != before.cursor else None, 60)
    for view in (before, after, before):
        publish_newer(feed, view)
    assert (feed.view, feed.over) == (after, after.is_over)
    run(engine.close_table(one.table_id, "the player left", Payer()))
    over = until(lambda: view if (view := run(source.load_view())).is_over else None)
    publish_newer(feed, over)  # a table that was closed asks no seat any more
    assert (feed.view, feed.over) == (over, True)
