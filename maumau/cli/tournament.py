"""`maumau tournament …`: make, enter, steer, look, watch, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import place
from maumau.cli.output import Json, Where, json_line, show

if TYPE_CHECKING:
    from maumau.answer import Tournament

app = typer.Typer(help="Make, enter, watch and export tournaments.")

Name = Annotated[str, typer.Argument(help="The tournament's name or id.")]
BotName = Annotated[str, typer.Argument(metavar="BOT", help="A bot with an active version.")]


@app.command()
def create(  # noqa: PLR0913 - as many flags as a spec has keys
    spec: Annotated[
        Path | None, typer.Argument(help="A spec in TOML; `-` reads it from stdin. Or use the flags.")
    ] = None,
    *,
    name: Annotated[str | None, typer.Option(help="Its name.")] = None,
    rules: Annotated[str | None, typer.Option(help="A variant, such as mau_mau.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help="An option of it."),
    ] = None,
    stages: Annotated[
        list[str] | None,
        typer.Option("--stage", metavar="FORMAT", help="round_robin or single_elimination; may be repeated."),
    ] = None,
    third_place: Annotated[bool, typer.Option("--third-place", help="Play for it at the end.")] = False,
    block: Annotated[int | None, typer.Option(help="Deal sets in a block.")] = None,
    cap: Annotated[int | None, typer.Option(help="Deal sets in a match at most.")] = None,
    secret: Annotated[str | None, typer.Option(help="What all deals come from; else it is drawn.")] = None,
    open_now: Annotated[bool, typer.Option("--open", help="Open the entries at once.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Make a tournament from a spec file or from flags."""
    from maumau.cli import spec as written

    flags = written.Flags(
        name=name, rules=rules, options=option or [], stages=stages or [], third_place=third_place,
        block=block, cap=cap, secret=secret,
    )  # fmt: skip
    text = written.text(spec, flags)
    with place.connect(arena) as link:
        made = link.create(text)
        if open_now:
            made = link.open(made.id)
    _answer(made, as_json=as_json)


@app.command("open")
def open_entries(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Open the entries."""
    _steer("open", tournament, arena, as_json=as_json)


@app.command()
def start(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Close the entries and begin to play."""
    _steer("start", tournament, arena, as_json=as_json)


@app.command()
def pause(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Hand out no more blocks."""
    _steer("pause", tournament, arena, as_json=as_json)


@app.command()
def resume(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Go on after a pause."""
    _steer("resume", tournament, arena, as_json=as_json)


@app.command()
def cancel(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """End it without a winner."""
    _steer("cancel", tournament, arena, as_json=as_json)


@app.command()
def enter(tournament: Name, bot: BotName, *, arena: Where = None, as_json: Json = False) -> None:
    """Enter a bot's active version."""
    with place.connect(arena) as link:
        entry = link.enter(tournament, bot)
    if as_json:
        json_line(entry)
    else:
        show(f"{entry.bot_name} is entrant {entry.number} of {tournament}, with {entry.sha256[:12]}")


@app.command()
def withdraw(tournament: Name, bot: BotName, *, arena: Where = None, as_json: Json = False) -> None:
    """Take an entry back; after the start its open matches are lost."""
    with place.connect(arena) as link:
        entry = link.withdraw(tournament, bot)
    if as_json:
        json_line(entry)
    else:
        show(f"{entry.bot_name} is withdrawn from {tournament}")


@app.command("list")
def list_all(*, arena: Where = None, as_json: Json = False) -> None:
    """List all tournaments, newest first."""
    from maumau.cli import report

    with place.connect(arena) as link:
        found = link.tournaments()
    if as_json:
        json_line(found)
    else:
        show(report.tournament_table(found))


@app.command("show")
def show_one(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Show a tournament: its state, bracket and table."""
    from maumau.cli import report

    with place.connect(arena) as link:
        found = report.collect(link, tournament)
    if as_json:
        json_line(found)
    else:
        show(*report.parts(found))


@app.command()
def watch(
    tournament: Name,
    *,
    lines: Annotated[bool, typer.Option("--plain", help="Lines, also in a terminal.")] = False,
    deals: Annotated[bool, typer.Option("--deals", help="With lines: also single deals, live.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Watch a tournament and deals of it until it is over; with --json each event is a line."""
    from maumau.cli import watch

    with place.connect(arena) as link:
        if as_json:
            watch.as_json(link, tournament, deals=deals)
        else:
            watch.follow(link, tournament, plain=lines, deals=deals)


@app.command()
def export(
    tournament: Name,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="A file, or `-`; NAME.export.jsonl if left out."),
    ] = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Write the export of a tournament that is over; `maumau verify` checks it."""
    from maumau.cli import export

    where = place.find(arena)
    with place.open_at(where, place.token(where)) as link:
        now = link.tournament(tournament)
        if str(out) == "-":
            export.to_stdout(link.export(now.id))
            return
        path = out or Path(f"{now.name}.export.jsonl")
        size = export.to_file(link.export(now.id), path)
    if as_json:
        json_line({"tournament": now.name, "path": str(path), "bytes": size})
    else:
        show(str(path))


def _steer(what: str, tournament: str, arena: str | None, *, as_json: bool) -> None:
    """A call that changes the tournament's state and answers with it."""
    with place.connect(arena) as link:
        now: Tournament = getattr(link, what)(tournament)
    _answer(now, as_json=as_json)


def _answer(now: Tournament, *, as_json: bool) -> None:
    from maumau.cli import report

    if as_json:
        json_line(now)
    else:
        show(report.headline(now))
