"""`maumau match …`: look at a match, at a fault in it, have it played again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import place
from maumau.cli.fault import fault_parts
from maumau.cli.output import Json, Where, json_line, plain, show
from maumau.cli.told import told

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.answer import GetMatchResponse, GetSetResponse

app = typer.Typer(help="Look at matches, their deals and faults; have matches played again.")

Tournament = Annotated[str, typer.Argument(help="The tournament's name or id.")]
Label = Annotated[str, typer.Argument(help="stage.round.number, such as 2.1.1.")]


@app.command("show")
def show_one(tournament: Tournament, label: Label, *, arena: Where = None, as_json: Json = False) -> None:
    """Show a match: estimate, interval, what decided it, its blocks and faults."""
    with place.connect(arena) as link:
        found = link.match(tournament, label)
    if as_json:
        json_line(found)
    else:
        show(*_parts(found))


@app.command()
def retake(tournament: Tournament, label: Label, *, arena: Where = None, as_json: Json = False) -> None:
    """Play a match again, or let a paused one go on; what hangs on it is withdrawn."""
    with place.connect(arena) as link:
        found = link.retake(tournament, label)
    if as_json:
        json_line(found)
    else:
        gone = f"; withdrawn: {', '.join(found.withdrawn)}" if found.withdrawn else ""
        show(f"{label} is {found.match.state}{gone}")


@app.command()
def fault(
    fault: Annotated[str, typer.Argument(help="A fault's id, from `match show`.")],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show everything about a fault: messages, log, time, memory and the deal's record."""
    with place.connect(arena) as link:
        found = link.fault(fault)
    if as_json:
        json_line(found)
    else:
        show(*fault_parts(found))


@app.command()
def record(
    tournament: Tournament,
    label: Label,
    number: Annotated[int, typer.Argument(metavar="SET", min=0, max=1_000_000, help="Its number, from 0.")],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show a deal set as it was played, with what the bots noted; while a tournament goes on one's own."""
    with place.connect(arena) as link:
        found = link.deal_set(tournament, label, number)
    if as_json:
        json_line(found)
    else:
        show(*_records(found))


@app.command()
def watch(
    tournament: Tournament,
    label: Label,
    *,
    lines: Annotated[bool, typer.Option("--plain", help="Lines, also in a terminal.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Watch a match until it is decided, as many deals as one can follow; with --json each is a line."""
    from maumau.cli import live

    with place.connect(arena) as link:
        if as_json:
            for part in link.watch_match(tournament, label):
                json_line(part)
        else:
            live.follow(link, tournament, label, plain=lines)


def _parts(found: GetMatchResponse) -> Iterator[RenderableType]:
    from maumau.cli.board import match_table, table

    yield match_table([found.match])
    blocks = table(">block", ">sets", "state", ">attempts", "worker")
    for block in found.blocks:
        span = f"{block.first_set} to {block.first_set + block.sets - 1}"
        blocks.add_row(str(block.number), span, block.state, str(block.attempts), plain(block.worker))
    yield blocks
    names = {found.match.first: found.match.first_name, found.match.second: found.match.second_name}
    for each in found.faults:
        who = names.get(each.entrant, each.entrant)
        yield f"fault {each.id}: {who}, set {each.set}: {each.kind}, {each.words}"


def _records(found: GetSetResponse) -> Iterator[str]:
    """Who sat where and the deal's record with its notes, for each deal."""
    from maumau.game.action import SEATS

    names = (found.first_name, found.second_name)
    for seating, deal in enumerate(found.set.deals):
        players = [names[entrant] for entrant in deal.entrants]
        at = ", ".join(f"{seat} {player}" for seat, player in zip(SEATS, players, strict=False))
        yield f"{chr(10) * bool(seating)}set {found.set.number}, seating {seating}: {at}"
        yield from told(deal.record, deal.notes, players)
