"""`maumau workers` and `maumau queue`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.table import Table

from maumau.cli import place
from maumau.cli.output import Json, Where, json_line, plain, show

if TYPE_CHECKING:
    from maumau.answer import QueueEntry

WAITING = {"uploaded", "validating", "suspended"}


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command()(workers)
    app.command()(queue)


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


def queue(*, arena: Where = None, as_json: Json = False) -> None:
    """Show what waits for workers, whose turn it is, and about how long it takes.

    A contest gets no more workers for having more to play: they are shared between authors, then between
    contests; tournaments come first. Your versions that wait for their validation stand below.

    Example: maumau queue
    """
    with place.connect(arena) as link:
        found = link.queue()
        waiting = [one for bot in link.bots(mine=True) for one in bot.versions if one.state in WAITING]
    if as_json:
        json_line({"queue": found, "validations": waiting})
        return
    table = Table(box=None)
    for name in ("place", "contest", "rules", "waiting", "playing", "a minute", "about"):
        table.add_column(name, justify="left" if name in {"contest", "rules"} else "right")
    for one in found.entries:
        rate = f"{one.blocks_per_minute:.1f}" if one.blocks_per_minute else "?"
        counts = str(one.waiting), str(one.playing), rate
        table.add_row(str(one.place or ""), _contest(one), one.rules, *counts, _about(one))
    show(table if found.entries else "nothing is being played")
    suspended = f", {found.suspended_workers} suspended" if found.suspended_workers else ""
    show(f"workers: {found.workers} present{suspended}; numbers are blocks of deal sets")
    for version in waiting:
        show(f"{version.bot_name} version {version.number} is {version.state}: {version.progress or 'waits'}")


def _contest(one: QueueEntry) -> str:
    return plain(
        one.name or " ".join(filter(None, (one.purpose, one.account_name and f"of {one.account_name}")))
    )


def _about(one: QueueEntry) -> str:
    """How long what waits now will take."""
    if not one.seconds:
        return "?" if one.waiting else ""
    minutes = one.seconds / 60
    return f"{minutes:,.0f} min" if minutes >= 1 else f"{one.seconds:.0f} s"
