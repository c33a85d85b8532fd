"""`maumau play`: one deal at home between the programs that are named, told card by card."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import game
from maumau.cli.output import Json, json_line, plain, show
from maumau.cli.told import told
from maumau.errors import BadFile

if TYPE_CHECKING:
    from maumau.bot.referee import BlockOutcome, DealOutcome
    from maumau.game import Rules

SEATS = "ABCDEFGHIJ"
LAST = 5  # lines of a program's log that are shown with its fault
SECOND_RUN = "in a contest the block is played a second time, and it is a fault if it happens again"


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(play)


def play(  # noqa: PLR0913 - a flag for everything that may be chosen
    bots: Annotated[
        list[str], typer.Argument(help="Two or more bots: folders, files, zips or names of house bots.")
    ],
    *,
    variant: game.Variant = "mau_mau",
    options: game.Options = None,
    seed: game.Seed = None,
    deal: Annotated[int, typer.Option(min=0, help="The number of the deal in this seed.")] = 0,
    deal_ms: game.Millis = 1000,
    log: Annotated[bool, typer.Option("--log", help="Show what the bots wrote to stderr.")] = False,
    out: Annotated[
        Path | None, typer.Option("--record", help="Write the record of the deal to this file.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--replay", help="Write a self-contained HTML page that shows the deal.")
    ] = None,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Play one deal between bots and show it card by card; the first bot sits in seat A and leads.

    Example: maumau play my-bot greedy --rules prsi --seed 7 --replay deal.html
    """
    rules, text = game.rules(variant, options), game.seed(seed)
    names, outcome = _played(bots, rules, text, deal, deal_ms, tier)
    (played,) = outcome.sets[0].deals
    if as_json:
        logs = [use.log for use in outcome.measured.uses]
        json_line({"names": names, "seed": text, "deal": deal, "outcome": played, "logs": logs})
    else:
        show(*_told(names, played), f"seed {text}, deal {deal}", *(_logs(names, outcome) if log else ()))
    if out:  # what cannot be kept has at least been told
        _keep(out, played.record)
    if html:
        _page(html, names, rules, f"{rules.name}, seed {text}, deal {deal}", outcome)
    if played.faults:
        raise typer.Exit(1)


def _played(
    bots: list[str], rules: Rules, seed: str, deal: int, deal_ms: int, tier: str
) -> tuple[list[str], BlockOutcome]:
    """What the programs are called, and the block of this one deal in this one seating."""
    from maumau.bot.referee import BlockOrder, play_block
    from maumau.bot.sandbox import choose_sandbox
    from maumau.home.handicap import own_pace
    from maumau.home.job import deal_seed

    sandbox = choose_sandbox(tier)
    with game.programs(bots, sandbox) as (programs, names):
        order = BlockOrder(
            rules.name,
            len(programs),
            [deal_seed(seed, deal)],
            options=rules.chosen,
            first_set=deal,
            deal_ms=deal_ms,
            seatings=[0],
            variant_toml=rules.text,
        )
        return names, play_block(order, programs, sandbox, pace=own_pace())


def _told(names: list[str], played: DealOutcome) -> Iterator[str]:
    """Who sits where, what happened and was noted, who won and what went wrong."""
    yield ", ".join(f"{SEATS[seat]} {name}" for seat, name in enumerate(names))
    yield ""
    yield from dropwhile(lambda line: line.startswith("["), told(played.record, played.notes, names))
    yield ""
    order = sorted(range(len(names)), key=lambda seat: played.places[seat])
    places = ", ".join(f"{played.places[seat]}. {names[seat]}" for seat in order)
    points = f"; points {' '.join(map(str, played.points))}" if any(played.points) else ""
    yield f"{places}{points}"
    for fault in played.faults:
        yield f"fault of {names[fault.entrant]}: {fault.kind}: {fault.words}"
        if fault.overran:
            yield f"  {SECOND_RUN}"
        yield f"  asked: {fault.ask}"
        yield from (f"  log: {plain(line)}" for line in fault.stderr.splitlines()[-LAST:])


def _logs(names: list[str], outcome: BlockOutcome) -> Iterator[str]:
    for name, use in zip(names, outcome.measured.uses, strict=True):
        yield f"\nlog of {name}:"
        yield plain(use.log.rstrip("\n")) or "(empty)"


def _page(path: Path, names: list[str], rules: Rules, title: str, outcome: BlockOutcome) -> None:
    """One file with the table, every action, the notes and the logs."""
    from msgspec.structs import replace

    from maumau.cli.fault import blamed
    from maumau.page.file import write_file
    from maumau.page.page import Note, tell_record

    (played,) = outcome.sets[0].deals
    notes = [Note(note.event, note.seat, note.text) for note in played.notes]
    logs = [use.log for use in outcome.measured.uses]
    deal = replace(tell_record(title, played.record, rules), names=names, notes=notes, logs=logs)
    write_file(path, [blamed(deal, played.faults[0]) if played.faults else deal])


def _keep(path: Path, record: str) -> None:
    try:
        path.write_text(record, encoding="utf-8")
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror}") from None
