"""`maumau workers`."""

from __future__ import annotations

import typer
from rich.table import Table

from maumau.cli import place
from maumau.cli.output import Json, Where, json_line, show


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(workers)


def workers(*, arena: Where = None, as_json: Json = False) -> None:
    """List the workers that were heard of within a day (admins only).

    A suspended one claims nothing: it failed several blocks in a row, then its own test, and tests itself
    again every few minutes.

    Example: maumau workers
    """
    with place.connect(arena) as link:
        found = link.workers()
    if as_json:
        json_line({"workers": found})
        return
    table = Table("worker", "state", "heard of (UTC)", "failures in a row", "why", box=None)
    for one in found:
        seen = f"{one.seen_at:%Y-%m-%d %H:%M:%S}" if one.seen_at else "never"
        table.add_row(one.name, one.state, seen, str(one.failures), one.words)
    show(table)
