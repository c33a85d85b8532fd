"""The pages of live tables, and their updates: the public view, and the hands at the end."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import msgspec
from msgspec import Struct

from maumau.client.live import Table, Told
from maumau.errors import BadRecord
from maumau.game import replay
from maumau.game.notation.cards import list_names as card_names
from maumau.page.mark import make_mark
from maumau.page.pile import Top, top_after
from maumau.page.words import tell_event
from services.web.client import Arena
from services.web.delivery.feed import Feed
from services.web.figures.deal_data import name_player
from services.web.words import TONGUES, Tongue
from services.web.words.services.told import translate_words

LIST_PARTS = ("tables",)
PARTS = ("table_state", "table_proof")
EVERY = 2.0  # seconds between two queries for the list
PATIENCE = 3.0  # seconds that a page waits for a table's view
SHOWN = 12  # events sent: the pile and the sentences are made from them
ENDED = ("over", "void")
FACTS = ("owed", "skips", "direction", "stock")  # fields of the view, as board.js names them


class TableLists(Struct, frozen=True):
    """The open live tables, and those that have ended lately; newest first."""

    open: tuple[Table, ...]
    ended: tuple[Table, ...]


class ListSource:
    """The source of the list of live tables."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    async def load_view(self) -> TableLists:
        """Load the current data."""
        return TableLists(await self._arena.list_tables(), await self._arena.list_tables(ended=True))

    async def update_feed(self, feed: Feed) -> None:
        """Update the feed as long as the service answers."""
        while True:
            feed.publish_view(await self.load_view())
            await asyncio.sleep(EVERY)


class TableView(Struct, frozen=True):
    """A table as a watcher sees it.

    open: the public view after the last of the events; before: cards in hand before it. told_at: the time
    (time.time) of the clocks. hands: once the deal is over.
    """

    table: Table
    clocks_ms: tuple[int, ...]
    turn: int | None
    told_at: float
    events: tuple[str, ...] = ()
    open: Mapping[str, Any] = {}
    before: tuple[int, ...] = ()
    hands: tuple[tuple[str, ...], ...] = ()

    @property
    def is_whole(self) -> bool:
        """True if everything that a page of the table shows is known."""
        return self.table.state in ("waiting", "void") or bool(self.open)


def take_in(view: TableView | None, part: Table | Told) -> TableView:
    """Return the view updated by a part of the watch."""
    now = time.time()
    if isinstance(part, Table):
        table, old = part, view or TableView(part, part.clocks_ms, part.turn, now)
        turn = table.turn if table.state == "playing" else None
        return msgspec.structs.replace(
            old,
            table=table,
            clocks_ms=table.clocks_ms or old.clocks_ms,
            turn=turn,
            told_at=now,
            before=(),
            hands=find_final_hands(table),
        )
    assert view  # the table comes first
    table = view.table
    if table.state == "waiting":  # the first news means that it is being played
        table = msgspec.structs.replace(table, state="playing")
    seen = part.view
    return msgspec.structs.replace(
        view,
        table=table,
        clocks_ms=part.clocks_ms,
        turn=part.turn,
        told_at=now,
        open=seen,
        events=view.events + tuple(seen["events"]),
        before=tuple(view.open.get("counts", seen["counts"])),
    )


def find_final_hands(table: Table) -> tuple[tuple[str, ...], ...]:
    """Return the hands at the end of a table's record, by seat; none for an incomplete record."""
    if not table.record:
        return ()
    try:
        return tuple(tuple(card_names(hand)) for hand in replay(table.record, own=table.own_rules).hands)
    except BadRecord:
        return ()


class TableSource:
    """The source of a live table's page, by its id."""

    def __init__(self, arena: Arena, table_id: str) -> None:
        self._arena, self._id = arena, table_id

    async def load_view(self) -> TableView:
        """Load the table, with its public view if the engine sends it soon."""
        view = take_in(None, await self._arena.get_table(self._id))
        try:
            async with asyncio.timeout(PATIENCE), aclosing(self._arena.watch_table(self._id)) as told:
                async for part in told:
                    view = take_in(view, part)
                    if view.is_whole:
                        break
        except TimeoutError:
            pass
        return view

    async def update_feed(self, feed: Feed) -> None:
        """Update the feed until the table has ended."""
        view = None
        async for part in self._arena.watch_table(self._id):
            view = take_in(view, part)
            if view.is_whole:
                feed.publish_view(view)
        if view:
            feed.publish_view(view)
            feed.over = view.table.state in ENDED


def draw_public(view: TableView, language: str) -> Mapping[str, Any]:
    """Return the table for the script and the template that draw a deal; all of it is shown at once.

    clocks: text for each seat, for readers without scripts; clock: in milliseconds, with the seat whose runs
    and the time of reading.
    """
    t, table = TONGUES[language], view.table
    events = list(view.events[-SHOWN:]) or [""]
    names = [name_player(t, table, seat) for seat in range(len(table.names))]
    last = tuple(view.open.get("counts", (0,) * table.seats))
    words = [tell_event(event, names, language) for event in events]
    if said := _state_words(t, view):
        words[-1] = said
    return {
        "key": f"{table.id}-{1000 * view.told_at:.0f}",
        "shown": len(events),
        "age": 1e6,
        "step": 1,
        "where": table.rules,
        "events": events,
        "words": words,
        "players": [{"name": name, "hue": (m := make_mark(name)).hue, "path": m.path} for name in names],
        "tops": _list_tops(view, len(events)),
        "counts": [view.before or last] * (len(events) - 1) + [last],
        "places": table.places,
        "points": table.points,
        "hands": [None] * (len(events) - 1) + [view.hands] if view.hands else [],
        "now": {name: value for name, value in view.open.items() if name in FACTS},
        "clocks": [] if table.places else [f"{ms // 60_000}:{ms // 1000 % 60:02}" for ms in view.clocks_ms],
        "clock": {"ms": view.clocks_ms, "turn": view.turn, "at": round(view.told_at, 3)},
    }


def _state_words(t: Tongue, view: TableView) -> str:
    """Return the sentence for a table without play."""
    table = view.table
    if table.state == "waiting":
        return t("table_waits", here=len(table.joined), seats=table.seats)
    words, _ = translate_words(table.words, t.language)
    return t("table_is_void", words=words or "?") if table.state == "void" else ""


def _list_tops(view: TableView, shown: int) -> list[Top]:
    """Return the top of the pile after each of the last events."""
    first = len(view.events) - shown + 1
    tops = [top_after(view.events[:n]) for n in range(max(first, 0), first + shown)]
    if view.open:
        tops[-1] = tops[-1]._replace(card=view.open["top"] or "", wish=view.open["wish"] or "")
    return tops
