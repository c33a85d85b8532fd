"""`maumau status`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from maumau.cli.shared import place
from maumau.screen.output import Json, Where, bold, json_line, show

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.client.answer import StateCount, WaitCount
    from maumau.client.arena_status import ArenaStatus

NOT_WELL = 5  # the exit code


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("status")(show_status)


def show_status(*, arena: Where = None, as_json: Json = False) -> None:
    """Show whether the arena is well: what waits, since when, how fast blocks are played, and what is late.

    Any account may run it. Something is late once it has lasted longer than the bound beside it, at which the
    arena's alerts fire, too. The exit code is 5 if something is late or does not answer, and 3 if nothing
    answers.

    Example: maumau status
    """
    found = place.arena_status(arena)
    if as_json:
        json_line(found)
    else:
        show(bold("all is well" if found.is_well else "not all is well"), *_list_troubles(found))
        show("", _draw_states(found), "", _say_waits(found), _say_rates(found))
    if not found.is_well:
        raise typer.Exit(NOT_WELL)


def _list_troubles(found: ArenaStatus) -> Iterator[str]:
    """Yield a line for each silent service, unavailable need and late state."""
    words = {"silent": "does not answer", "unread": "answers, but gives no figures"}
    yield from (f"  the {name} service {words[how]}" for name, how in found.services.items() if how in words)
    yield from (f"  {need} does not answer the {name} service" for name, need in found.away)
    for one in found.late:
        yield f"  {_name_state(one.thing, one.state)}: {_say_count(one)}, for {_say_age(one.oldest_ms)}"


def _draw_states(found: ArenaStatus) -> Table:
    from maumau.screen.table import table

    made = table("service", "what", ">count", ">oldest", ">late after")
    for service, how in found.services.items():
        for row in found.rows_of(service):
            what = _name_state(row.thing, row.state)
            if (one := row.found) is None:
                made.add_row(service, what, "silent" if how == "silent" else "unknown")
                continue
            bound = "at once" if one.bound_ms == 0 else _say_age(one.bound_ms)
            late = f"LATE: {bound}" if one.is_late else bound
            made.add_row(service, what, _say_count(one), _say_age(one.oldest_ms), late)
    return made


def _name_state(thing: str, state: str) -> str:
    """Return a state's name as on the page; one that this release does not know keeps its own."""
    from maumau.page.states import WORDS

    return WORDS.get(f"state_{thing}_{state}", f"{thing} {state}")


def _say_waits(found: ArenaStatus) -> str:
    parts = [
        f"{_say_count(one)} {f'under {_say_age(one.up_to_ms)}' if one.up_to_ms else 'longer'}"
        for one in found.waits
    ]
    return f"waiting blocks: {', '.join(parts) or 'unknown'}"


def _say_count(one: StateCount | WaitCount) -> str:
    return f"{one.count:,}{'+' if one.has_more else ''}"


def _say_age(ms: int | None) -> str:
    from maumau.client.arena_status import say_span

    return "" if ms is None else say_span(ms)


def _say_rates(found: ArenaStatus) -> str:
    if not found.rates:
        return "last five minutes: unknown"
    blocks, decisions = 60 * found.find_rate("block"), found.find_rate("decision")
    return f"last five minutes: {blocks:,.1f} blocks a minute, {decisions:,.1f} decisions a second"
