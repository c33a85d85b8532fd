"""What the pages of live tables show, and how they follow them: what lies open, and the hands at the end."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import msgspec
from msgspec import Struct

from maumau.cli.pile import Top, top_after
from maumau.errors import BadRecord
from maumau.game import replay
from maumau.game.action import SEATS
from maumau.game.cards import list_names as card_names
from maumau.live import Table, Told
from maumau.page.mark import make_mark
from maumau.page.words import tell_event
from services.web.client import Arena
from services.web.contest import show
from services.web.feed import Feed
from services.web.words import TONGUES, Tongue

LIST_PARTS = ("tables",)
PARTS = ("table_state", "table_proof")
EVERY = 2.0  # seconds between two looks at the list
PATIENCE = 3.0  # seconds that a page waits for what lies at a table
SHOWN = 12  # events that are sent: the pile and the sentences come from them
ENDED = ("over", "void")
FACTS = ("owed", "skips", "direction", "stock")  # of what lies open, as board.js calls them


class Tables(Struct, frozen=True):
    """The live tables that are open, and those that have ended lately; newest first."""

    open: tuple[Table, ...]
    ended: tuple[Table, ...]


class ListSource:
    """All live tables."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    async def load(self) -> Tables:
        """As they are now."""
        return Tables(await self._arena.tables(), await self._arena.tables(ended=True))

    async def source(self, feed: Feed) -> None:
        """Runs as long as the service does."""
        while True:
            show(feed, await self.load())
            await asyncio.sleep(EVERY)


class TableView(Struct, frozen=True):
    """A table as a watcher sees it.

    open: what lies open after the last of the events; before: cards in hand before it. told_at: when
    (time.time) the clocks were as they are here. hands: once the deal is over.
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
        """Whether all is known that a page of the table shows."""
        return self.table.state in ("waiting", "void") or bool(self.open)


def take_in(view: TableView | None, part: Table | Told) -> TableView:
    """The view after what the watch has told."""
    now = time.time()
    if isinstance(part, Table):
        table, old = part, view or TableView(part, part.clocks_ms, part.turn, now)
        turn = table.turn if table.state == "playing" else None
        return msgspec.structs.replace(
            old, table=table, clocks_ms=table.clocks_ms or old.clocks_ms, turn=turn, told_at=now,
            before=(), hands=_final_hands(table.record),
        )  # fmt: skip
    assert view  # the table is told first
    table = view.table
    if table.state == "waiting":  # the first news says that it is played
        table = msgspec.structs.replace(table, state="playing")
    seen = part.view
    return msgspec.structs.replace(
        view, table=table, clocks_ms=part.clocks_ms, turn=part.turn, told_at=now, open=seen,
        events=view.events + tuple(seen["events"]), before=tuple(view.open.get("counts", seen["counts"])),
    )  # fmt: skip


def _final_hands(record: str) -> tuple[tuple[str, ...], ...]:
    """What each seat held at the end of this record; nothing of a record that is not whole."""
    try:
        return tuple(tuple(card_names(hand)) for hand in replay(record).hands) if record else ()
    except BadRecord:
        return ()


class TableSource:
    """One live table, by its id."""

    def __init__(self, arena: Arena, table_id: str) -> None:
        self._arena, self._id = arena, table_id

    async def load(self) -> TableView:
        """As it is now, with what lies open if the engine tells it soon."""
        view = take_in(None, await self._arena.table(self._id))
        try:
            async with asyncio.timeout(PATIENCE), aclosing(self._arena.watch_table(self._id)) as told:
                async for part in told:
                    view = take_in(view, part)
                    if view.is_whole:
                        break
        except TimeoutError:
            pass
        return view

    async def source(self, feed: Feed) -> None:
        """Runs until the table has ended."""
        view = None
        async for part in self._arena.watch_table(self._id):
            view = take_in(view, part)
            if view.is_whole:
                show(feed, view)
        if view:
            show(feed, view)
            feed.over = view.table.state in ENDED


def draw(view: TableView, language: str) -> Mapping[str, Any]:
    """The table for the script and the template that draw a deal; all of it is shown at once.

    clocks: text for each seat, for who has no script; clock: the same in milliseconds, whose runs, and when
    it was so.
    """
    t, table = TONGUES[language], view.table
    events = list(view.events[-SHOWN:]) or [""]
    names = [name_of(t, name, seat) for seat, name in enumerate(table.names)]
    last = tuple(view.open.get("counts", (0,) * table.seats))
    words = [tell_event(event, names, language) for event in events]
    if said := _state_words(t, view):
        words[-1] = said
    return {
        "key": f"{table.id}-{1000 * view.told_at:.0f}",
        "shown": len(events), "age": 1e6, "step": 1, "where": table.rules, "events": events, "words": words,
        "players": [{"name": name, "hue": (m := make_mark(name)).hue, "path": m.path} for name in names],
        "tops": _tops(view, len(events)), "counts": [view.before or last] * (len(events) - 1) + [last],
        "places": table.places, "points": table.points,
        "hands": [None] * (len(events) - 1) + [view.hands] if view.hands else [],
        "now": {name: value for name, value in view.open.items() if name in FACTS},
        "clocks": [] if table.places else [f"{ms // 60_000}:{ms // 1000 % 60:02}" for ms in view.clocks_ms],
        "clock": {"ms": view.clocks_ms, "turn": view.turn, "at": round(view.told_at, 3)},
    }  # fmt: skip


def name_of(t: Tongue, name: str, seat: int) -> str:
    """What who sits there is called."""
    return name or t("seat_n", n=SEATS[seat])


def _state_words(t: Tongue, view: TableView) -> str:
    """What is said at a table where nothing is played."""
    table = view.table
    if table.state == "waiting":
        return t("table_waits", here=len(table.joined), seats=table.seats)
    return t("table_is_void", words=table.words or "?") if table.state == "void" else ""


def _tops(view: TableView, shown: int) -> list[Top]:
    """The top of the pile after each of the last events."""
    first = len(view.events) - shown + 1
    tops = [top_after(view.events[:n]) for n in range(max(first, 0), first + shown)]
    if view.open:
        tops[-1] = tops[-1]._replace(card=view.open["top"] or "", wish=view.open["wish"] or "")
    return tops
