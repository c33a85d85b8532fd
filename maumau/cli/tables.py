"""`maumau tables` and `maumau watch`: the live tables of an arena, and one of them as it is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import place
from maumau.cli.output import Json, Where, json_line, plain, show

if TYPE_CHECKING:
    from maumau.live import Table, Told


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command("tables")(list_tables)
    app.command("watch")(watch)


def list_tables(
    *,
    ended: Annotated[bool, typer.Option("--ended", help="List those that have ended lately.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List the live tables, newest first.

    Example: maumau tables
    """
    with place.tables(arena) as tables:
        found = tables.tables(ended=ended)
    if as_json:
        json_line(found)
        return
    from maumau.cli.table import table

    listed = table("table", "rules", "players", "state", "made by")
    for each in found:
        listed.add_row(each.id, each.rules, plain(_players(each)), each.state, plain(each.account_name))
    show(listed if found else "there is no live table; `maumau seat prsi --house` makes one")


def watch(
    table: Annotated[str, typer.Argument(help="The table's id, as `maumau tables` shows it.")],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Watch a live table, action by action; hands are in its record when it has ended.

    Example: maumau watch table_01hv3k9t2c5m7q8r4n6p0w1x2y
    """
    with place.tables(arena) as tables:
        last = None
        for told in tables.watch(table):
            first, last = last is None, told.table or last
            if as_json:
                json_line(told)
            elif told.kind == "news":
                show(*_lines(told))
            elif told.table and first:
                show(f"{told.table.rules}: {plain(_players(told.table))}")
        if last and not as_json:
            show(_ending(last))


def _players(table: Table) -> str:
    from maumau.game.action import SEATS

    return ", ".join(f"{SEATS[seat]} {name or '?'}" for seat, name in enumerate(table.names))


def _lines(told: Told) -> list[str]:
    counts = " ".join(str(count) for count in told.view["counts"])
    top = told.view["top"] or "nothing"
    return [f"{plain(event):<28} top {top}, in hand {counts}" for event in told.view["events"]]


def _ending(table: Table) -> str:
    from maumau.game.action import SEATS

    if table.state != "over":
        return f"it ended without a result: {plain(table.words)}" if table.words else f"it is {table.state}"
    order = sorted(range(table.seats), key=lambda seat: table.places[seat])
    return ", ".join(f"{table.places[seat]}. {SEATS[seat]} {plain(table.names[seat])}" for seat in order)
