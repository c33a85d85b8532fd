"""`maumau reproduce`: the moment of a fault, played again at home against the author's program."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import game
from maumau.cli.output import Json, json_line, plain, show

if TYPE_CHECKING:
    from maumau.home.moment import Bundle, Moment, Outcome, Step

SHOWN = 3  # replies before the last that are shown


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(reproduce)


def reproduce(
    bundle: Annotated[Path, typer.Argument(help="A file that `maumau logs FAULT --out FILE` wrote.")],
    bot: Annotated[str, typer.Argument(help="The program: a folder, a file or a zip.")],
    *,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Its stderr on the terminal as it comes, and all the time it wants."),
    ] = False,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Ask a program again all that it was asked in the deal that it lost by a fault, up to that question."""
    from maumau.bot.sandbox import choose
    from maumau.home import moment

    found = moment.read(bundle)
    sandbox = choose("process" if debug else tier)
    bank = moment.HOUR if debug else moment.bank_of(found)
    with game.programs([bot], sandbox) as ((program,), _):
        again = moment.Moment(found, program, sandbox, bank, patient=debug)
        outcome = again.play(_to_stderr if debug else lambda _: None)
    if as_json:
        json_line(outcome)
    else:
        show(*_told(found, again, outcome))
    if outcome.kind:
        raise typer.Exit(1)


def _to_stderr(text: str) -> None:
    sys.stderr.write(plain(text))
    sys.stderr.flush()


def _told(bundle: Bundle, again: Moment, outcome: Outcome) -> Iterator[str]:
    """What was then, what is now."""
    fault, steps = bundle.fault, outcome.steps
    where = f"deal {fault.deal} of {again.rules.name}, seat {chr(65 + again.seat)} of {again.seats}"
    yield f"then: {fault.kind}: {fault.words} ({where})"
    for step in steps[-SHOWN - 1 : -1]:
        yield from _step(step)
    if steps:
        yield f"asked: {steps[-1].ask}"
        yield f"replied: {steps[-1].reply or 'nothing'}"
    if not outcome.same_question:
        yield "the question differs from the one in the bundle: is its record another version's?"
    now = f"{outcome.kind}: {outcome.words}" if outcome.kind else "no fault: the reply is allowed"
    yield f"now, after {len(steps)} questions: {now}"


def _step(step: Step) -> Iterator[str]:
    """One on the way: where it decides otherwise than then, that is said."""
    then = "nothing" if step.then == "-" else step.then
    yield f"replied {plain(step.reply)[:200]}, then {then}{f' ({step.wrong})' if step.wrong else ''}"
