"""`maumau actions`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from maumau.cli.shared import place
from maumau.screen.output import Json, Where, json_line, plain, show


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("actions")(list_actions)


def list_actions(
    *,
    most: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many to list at most.")] = 50,
    before: Annotated[
        str,
        typer.Option(metavar="ID", help="List only those older than this one, such as the last of a page."),
    ] = "",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List what admins and organisers did, newest first (admins only).

    Every call that changes something and is made with the token of an admin or organiser is kept, even if it
    was refused, for as long as the arena's settings say.

    Example: maumau actions -n 20
    """
    found = place.list_actions(arena, most + 1, before)
    found, rest = found[:most], found[most:]
    older = found[-1].id if rest else ""
    if as_json:
        json_line({"actions": found, "older": older})
        return
    table = Table("when (UTC)", "who", "what", "asked", "outcome", box=None)
    for one in found:
        at = f"{one.at:%Y-%m-%d %H:%M:%S}" if one.at else ""
        table.add_row(at, one.account_name, one.method, plain(one.asked), one.outcome)
    show(table)
    if older:
        show(f"there are older ones: --before {older}")
