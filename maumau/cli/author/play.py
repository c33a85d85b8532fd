"""`maumau play`: one local deal between the named programs, shown card by card."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import game
from maumau.errors import BadFile
from maumau.process.silence import call_after
from maumau.screen.output import SILENCE, Json, Style, console, json_line, plain, show, wrap_words
from maumau.screen.told import told

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.game import Rules
    from maumau.protocol.fault import Fault
    from maumau.referee.block import BlockOutcome, DealOutcome
    from maumau.referee.pace import Pace

SEATS = "ABCDEFGHIJ"
SECOND_RUN = "in a contest the block would be played again, and only a repetition would be a fault"

RecordFile = Annotated[
    Path | None, typer.Option("--out", "--record", help="Write the record of the deal to this file.")
]
PageFile = Annotated[
    Path | None,
    typer.Option("--html", "--replay", help="Write a self-contained HTML page that shows the deal."),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("play")(play_deal)


def play_deal(  # noqa: PLR0913 - a flag for everything that may be chosen
    bots: Annotated[
        list[str], typer.Argument(help="Two or more bots: folders, files, zips or names of house bots.")
    ],
    *,
    variant: game.Variant = "mau_mau",
    options: game.Options = None,
    seed: game.Seed = None,
    deal: Annotated[int, typer.Option(min=0, help="The number of the deal in this seed.")] = 0,
    deal_ms: game.Millis = 1000,
    suits: Annotated[Style, typer.Option(help="The suits to draw cards with.")] = Style.FRENCH,
    raw: Annotated[bool, typer.Option("--raw", help="Show the deal's record instead of sentences.")] = False,
    log: Annotated[bool, typer.Option("--log", help="Show what the bots wrote to stderr.")] = False,
    out: RecordFile = None,
    html: PageFile = None,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Play one deal between bots and show it card by card; the first bot sits in seat A and leads.

    Example: maumau play my-bot greedy --rules prsi --seed 7 --html deal.html
    """
    rules, text = game.load_rules(variant, options), game.choose_seed(seed)
    names, outcome = _play_block(bots, rules, text, deal, deal_ms, tier, quiet=as_json)
    (played,) = outcome.sets[0].deals
    if as_json:
        logs = [use.log for use in outcome.measured.uses]
        json_line({"names": names, "seed": text, "deal": deal, "outcome": played, "logs": logs})
    else:
        told_deal = _tell_raw(names, played) if raw else _narrate_deal(names, played, rules, suits)
        show(*told_deal, "", *_tell_end(names, played), f"seed {text}, deal {deal}")
        show(*(_list_logs(names, outcome) if log else ()))
    if out:  # so that a deal that cannot be saved is at least shown
        _write_record(out, played.record)
    if html:
        _write_page(html, names, rules, f"{rules.name}, seed {text}, deal {deal}", outcome)
    if played.faults:
        raise typer.Exit(1)


def _play_block(
    bots: list[str], rules: Rules, seed: str, deal: int, deal_ms: int, tier: str, *, quiet: bool
) -> tuple[list[str], BlockOutcome]:
    """Return the programs' names, and the block of this one deal in this one seating."""
    from maumau.home.handicap import own_pace
    from maumau.local import deal_seed
    from maumau.referee.block import BlockOrder, play_block
    from maumau.sandbox.launch import choose_sandbox

    sandbox = choose_sandbox(tier)
    with game.open_programs(bots, sandbox) as (programs, names):
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
        pace = own_pace()
        with nullcontext() if quiet else _announce_wait(pace, deal_ms):
            return names, play_block(order, programs, sandbox, pace=pace)


@contextmanager
def _announce_wait(pace: Pace, deal_ms: int) -> Iterator[None]:
    """Print once, after a moment of silence, how long a silent program may take; in a pipe, too."""

    def say_limits() -> None:
        err = console(stderr=True)
        err.print(wrap_words(_say_wait(pace.now, deal_ms), sys.stderr), soft_wrap=True)

    with call_after(SILENCE, say_limits):
        yield


def _say_wait(pace: float, deal_ms: int) -> str:
    """Return a sentence about the most that a silent program may take on a core of this pace."""
    from maumau.protocol.limit import RunLimits
    from maumau.referee.process import get_start_wall

    limits = RunLimits()
    start, deal = get_start_wall(limits, pace), deal_ms / 1000 * limits.wall_factor * max(1.0, pace)
    waits = f"at most {start:.0f} s to start and {deal:.0f} s in the deal"
    return f"still playing; a program that does not answer has {waits}"


def _narrate_deal(
    names: list[str], played: DealOutcome, rules: Rules, suits: Style
) -> Iterator[RenderableType]:
    from maumau.screen.narrate import narrate_deal
    from maumau.screen.picture import STYLES

    yield from narrate_deal(played.record, played.notes, names, STYLES[suits], rules if rules.text else None)


def _tell_raw(names: list[str], played: DealOutcome) -> Iterator[str]:
    """Yield the seats, and the record with its notes."""
    yield ", ".join(f"{SEATS[seat]} {name}" for seat, name in enumerate(names))
    yield ""
    yield from dropwhile(lambda line: line.startswith("["), told(played.record, played.notes, names))


def _tell_end(names: list[str], played: DealOutcome) -> Iterator[str]:
    """Yield the places, the points, and the faults."""
    from maumau.protocol.fault import find_cause

    order = sorted(range(len(names)), key=lambda seat: played.places[seat])
    places = ", ".join(f"{played.places[seat]}. {names[seat]}" for seat in order)
    points = f"; points {' '.join(map(str, played.points))}" if any(played.points) else ""
    yield f"{places}{points}"
    for fault in played.faults:
        cause = plain(find_cause(fault))
        yield f"fault of {names[fault.entrant]}: {fault.kind}: {fault.words}{f': {cause}' if cause else ''}"
        if fault.is_provisional:
            yield f"  {SECOND_RUN}"
        yield f"  asked: {fault.ask}"
        yield from _excerpt_log(fault)


def _excerpt_log(fault: Fault) -> Iterator[str]:
    """Yield the lines of the log around the error, and how to see all of it."""
    from maumau.protocol.crash import excerpt_log

    lines = excerpt_log(fault.stderr)
    yield from (f"  log: {plain(line)}" for line in lines)
    if hidden := len(fault.stderr.rstrip().splitlines()) - len(lines):
        yield f"  ({hidden:,} more lines with --log)"


def _list_logs(names: list[str], outcome: BlockOutcome) -> Iterator[str]:
    for name, use in zip(names, outcome.measured.uses, strict=True):
        yield f"\nlog of {name}:"
        yield plain(use.log.rstrip("\n")) or "(empty)"


def _write_page(path: Path, names: list[str], rules: Rules, title: str, outcome: BlockOutcome) -> None:
    """Write one file with the table, every action, the notes and the logs."""
    from msgspec.structs import replace

    from maumau.page.fault import blame_fault
    from maumau.page.file import write_file
    from maumau.page.page import PageNote, tell_record

    (played,) = outcome.sets[0].deals
    notes = [PageNote(note.event, note.seat, note.text) for note in played.notes]
    logs = [use.log for use in outcome.measured.uses]
    deal = replace(tell_record(title, played.record, rules), names=names, notes=notes, logs=logs)
    write_file(path, [blame_fault(deal, played.faults[0]) if played.faults else deal])


def _write_record(path: Path, record: str) -> None:
    try:
        path.write_text(record, encoding="utf-8")
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror}") from None
