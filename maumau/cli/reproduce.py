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
    from maumau.bot.fault import Fault
    from maumau.home.bundle import Script
    from maumau.home.moment import Outcome, Step

SHOWN = 3  # replies before the last that are shown
LOG = 20  # lines of its log
SAME = 500  # characters that tell one question from another

Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        help="Stream the bot's log to stderr, lift time limits, let `breakpoint()` open the debugger.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(reproduce)


def reproduce(
    bundle: Annotated[Path, typer.Argument(help="A file written by `maumau logs FAULT --out FILE`.")],
    bot: Annotated[
        str | None,
        typer.Argument(help="The bot: a folder, a file or a zip. Without it, the messages are printed."),
    ] = None,
    *,
    debug: Debug = False,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Replay a fault locally: ask your bot everything that it was asked in the deal that it lost.

    Exit code 1 means that it made a fault again. Without a bot the messages are printed, as input for a
    program that you start in a debugger yourself.

    Example: maumau reproduce fault.json my-bot --debug
    """
    from maumau.bot.sandbox import choose_sandbox
    from maumau.home.bundle import Script, read
    from maumau.home.moment import Moment

    found = read(bundle)
    if bot is None:
        _print(Script(found))
        return
    sandbox = choose_sandbox("process" if debug else tier)
    with game.programs([bot], sandbox) as ((program,), _):
        again = Moment(found, program, sandbox, patient=debug)
        outcome = again.play(_to_stderr if debug else lambda _: None)
    if as_json:
        json_line(outcome)
    else:
        show(*_told(again.script, outcome, log=not debug))
    if outcome.fault:
        raise typer.Exit(1)


def _print(script: Script) -> None:
    """Hello and every question, as the program gets them."""
    sys.stdout.write(script.hello.decode())
    for question in script.questions():
        sys.stdout.write(question.line.decode())


def _to_stderr(text: str) -> None:
    sys.stderr.write(plain(text))
    sys.stderr.flush()


def _told(script: Script, outcome: Outcome, *, log: bool) -> Iterator[str]:
    """What was then, what is now."""
    fault, steps = script.bundle.fault, outcome.steps
    where = f"deal {fault.deal} of {script.rules.name}, seat {chr(65 + script.seat)} of {script.seats}"
    yield f"then: {_what(fault)} ({where})"
    for step in steps[-SHOWN - 1 : -1]:
        yield from _step(step)
    if steps:
        yield f"asked: {steps[-1].ask}"
        yield f"replied: {plain(steps[-1].reply)[:200] or 'nothing'}"
    if log and outcome.fault and outcome.fault.stderr.strip():
        yield "its log ends:"
        yield from (f"  {plain(line)}" for line in outcome.fault.stderr.rstrip().split("\n")[-LOG:])
    if not outcome.same_question:
        yield _other(fault, steps)
    if not outcome.fault and fault.exit and _several(fault):
        yield "several deals were asked for at once then, and another of them may be to blame: `maumau logs`"
    now = _what(outcome.fault) if outcome.fault else "no fault: the reply is allowed"
    yield f"now, after {len(steps)} question{'s' * (len(steps) != 1)}: {now}"


def _what(fault: Fault) -> str:
    """A fault in a line, with what the program had used when it made it."""
    used = f"{fault.cpu_ms:.0f} ms CPU, {fault.wall_ms:.0f} ms waited, {fault.memory_mib:.0f} MiB"
    return f"{fault.kind}: {plain(fault.words)}; {used}"


def _several(fault: Fault) -> bool:
    """Whether more was sent after the question it lost by; a line in the bundle may be cut short."""
    asked = [line[2:] for line in fault.lines if line.startswith("> ")]
    return bool(asked) and asked[-1][:SAME] != fault.ask[:SAME]


def _other(fault: Fault, steps: list[Step]) -> str:
    """Why the last question here is not the one in the bundle."""
    if fault.ask in {step.ask for step in steps} or not fault.ask.startswith(f'{{"deal":{fault.deal},'):
        return "then it was over before this question was sent: see what it does while others think"
    if steps[-1].then:
        return "here it came no further than this question"
    return "the question differs from the one in the bundle: has the arena another version of maumau?"


def _step(step: Step) -> Iterator[str]:
    """One on the way: where it decides otherwise than then, that is said."""
    then = "nothing" if step.then == "-" else step.then
    yield f"replied {plain(step.reply)[:200]}, then {then}{f' ({step.wrong})' if step.wrong else ''}"
