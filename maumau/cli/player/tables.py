"""`maumau tables` and `maumau watch`: the live tables of an arena, and one of them as it is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import place
from maumau.screen.output import Json, Style, Where, json_line, plain, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from maumau.client.live import Table, Told
    from maumau.screen.picture import Suits


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("tables")(list_tables)
    app.command("watch")(watch_table)


def list_tables(
    *,
    ended: Annotated[bool, typer.Option("--ended", help="List those that have ended lately.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List the live tables, newest first.

    Example: maumau tables
    """
    with place.connect_tables(arena) as tables:
        found = tables.tables(ended=ended)
    if as_json:
        json_line(found)
        return
    from maumau.screen.table import table

    listed = table("table", "rules", "players", "state", "made by")
    for each in found:
        listed.add_row(
            each.id, each.rules, plain(", ".join(_name_players(each))), each.state, plain(each.account_name)
        )
    show(listed if found else "there is no live table; `maumau seat prsi --house` makes one")


def watch_table(
    table: Annotated[str, typer.Argument(help="The table's id, as `maumau tables` shows it.")],
    *,
    raw: Annotated[bool, typer.Option("--raw", help="Show notation instead of sentences.")] = False,
    suits: Annotated[Style, typer.Option(help="The suits to draw cards with.")] = Style.FRENCH,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Watch a live table, action by action; hands are in its record when it has ended.

    Example: maumau watch table_01hv3k9t2c5m7q8r4n6p0w1x2y
    """
    from maumau.screen.picture import STYLES

    with place.connect_tables(arena) as tables:
        last, watcher = None, TableWatcher(STYLES[suits], raw=raw)
        for told in tables.watch(table):
            last = told.table or last
            if as_json:
                json_line(told)
            else:
                show(*watcher.hear(told))
        if last and not as_json:
            show(_describe_ending(last))


class TableWatcher:
    """A watched table: `hear` returns the lines to print for a message."""

    def __init__(self, suits: Suits, *, raw: bool) -> None:
        self.suits, self.raw = suits, raw
        self._rules = ""
        self._names: list[str] = []
        self._events: list[str] = []

    def hear(self, told: Told) -> list[RenderableType]:
        """Take in a part of a watch."""
        if told.table:
            fresh = not self._rules
            self._rules, self._names = told.table.rules, _name_players(told.table)
            return [f"{self._rules}: {plain(', '.join(self._names))}"] if fresh else []
        return self._tell_raw(told) if self.raw else self._tell_events(told)

    def _tell_raw(self, told: Told) -> list[RenderableType]:
        counts = " ".join(str(count) for count in told.view["counts"])
        top = told.view["top"] or "nothing"
        return [f"{plain(event):<28} top {top}, in hand {counts}" for event in told.view["events"]]

    def _tell_events(self, told: Told) -> list[RenderableType]:
        """Tell each event in a sentence; the last one with how many cards all have then."""
        from maumau.cli.player.phrase import tell_events
        from maumau.screen.narrate import SENTENCE
        from maumau.screen.picture import draw_signs

        fresh = told.view["events"]
        self._events += fresh
        sentences = tell_events(self._events, self._names)[-len(fresh) :] if fresh else []
        lines = [draw_signs(sentence, self.suits) for sentence in sentences]
        if lines and told.view["top"]:
            lines[-1].append(" " * max(2, SENTENCE - lines[-1].cell_len))
            lines[-1].append(plain(self._word_hands(told.view["counts"])), "dim")
        return list(lines)

    def _word_hands(self, counts: Sequence[int]) -> str:
        return ", ".join(f"{name} {count}" for name, count in zip(self._names, counts, strict=True))


def _name_players(table: Table) -> list[str]:
    """Return what the players are called, by seat; of one name with the seat behind it."""
    from maumau.game.notation.action import SEATS

    return [
        f"{name} ({SEATS[seat]})" if name and table.names.count(name) > 1 else name or f"seat {SEATS[seat]}"
        for seat, name in enumerate(table.names)
    ]


def _describe_ending(table: Table) -> str:
    if table.state != "over":
        return f"it ended without a result: {plain(table.words)}" if table.words else f"it is {table.state}"
    names = _name_players(table)
    order = sorted(range(table.seats), key=lambda seat: table.places[seat])
    told = ", ".join(f"{table.places[seat]}. {plain(names[seat])}" for seat in order)
    points = ", ".join(f"{plain(names[seat])} {table.points[seat]}" for seat in order)
    return f"{told}; points: {points}" if any(table.points) else told
