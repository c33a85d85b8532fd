"""`maumau reproduce`: the moment of a fault, played again at home against the author's program."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import game
from maumau.screen.output import Json, json_line, plain, show

if TYPE_CHECKING:
    from maumau.home.bundle import Script
    from maumau.home.moment import MomentOutcome, MomentStep
    from maumau.protocol.fault import Fault

SHOWN = 3  # replies before the last that are shown
SAME = 500  # characters that tell one question from another

Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        help="Stream the bot's log to stderr, lift time limits, let `breakpoint()` open the debugger.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("reproduce")(reproduce_fault)


def reproduce_fault(
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
    from maumau.home.bundle import Script, read_bundle
    from maumau.home.moment import ReplayedMoment
    from maumau.sandbox.launch import choose_sandbox

    found = read_bundle(bundle)
    if bot is None:
        _print_script(Script(found))
        return
    sandbox = choose_sandbox("process" if debug else tier)
    with game.open_programs([bot], sandbox) as ((program,), _):
        again = ReplayedMoment(found, program, sandbox, patient=debug)
        outcome = again.play(_to_stderr if debug else lambda _: None)
    if as_json:
        json_line(outcome)
    else:
        show(*_compare_outcomes(again.script, outcome, log=not debug))
    if outcome.fault:
        raise typer.Exit(1)


def _print_script(script: Script) -> None:
    """Print hello and every question, as the program gets them."""
    sys.stdout.write(script.hello.decode())
    for question in script.questions():
        sys.stdout.write(question.line.decode())


def _to_stderr(text: str) -> None:
    sys.stderr.write(plain(text))
    sys.stderr.flush()


def _compare_outcomes(script: Script, outcome: MomentOutcome, *, log: bool) -> Iterator[str]:
    """Yield the original fault and the present outcome."""
    from maumau.protocol.crash import excerpt_log

    fault, steps = script.bundle.fault, outcome.steps
    where = f"deal {fault.deal} of {script.rules.name}, seat {chr(65 + script.seat)} of {script.seats}"
    yield f"then: {_describe_fault(fault)} ({where})"
    for step in steps[-SHOWN - 1 : -1]:
        yield from _describe_step(step)
    if steps:
        yield f"asked: {steps[-1].ask}"
        yield f"replied: {plain(steps[-1].reply)[:200] or 'nothing'}"
    if log and outcome.fault and outcome.fault.stderr.strip():
        yield "its log says:"
        yield from (f"  {plain(line)}" for line in excerpt_log(outcome.fault.stderr))
    if not outcome.same_question:
        yield _explain_difference(fault, steps)
    if not outcome.fault and fault.exit and _has_more_questions(fault):
        yield "several deals were asked for at once then, and another of them may be to blame: `maumau logs`"
    now = _describe_fault(outcome.fault) if outcome.fault else "no fault: the reply is allowed"
    yield f"now, after {len(steps)} question{'s' * (len(steps) != 1)}: {now}"


def _describe_fault(fault: Fault) -> str:
    """Return a fault in a line, with the program's use of resources."""
    used = f"{fault.cpu_ms:.0f} ms CPU, {fault.wall_ms:.0f} ms waited, {fault.memory_mib:.0f} MiB"
    return f"{fault.kind}: {plain(fault.words)}; {used}"


def _has_more_questions(fault: Fault) -> bool:
    """Return True if more was sent after the question of the fault; a line in the bundle may be cut short."""
    asked = [line[2:] for line in fault.lines if line.startswith("> ")]
    return bool(asked) and asked[-1][:SAME] != fault.ask[:SAME]


def _explain_difference(fault: Fault, steps: list[MomentStep]) -> str:
    """Return why the last question here differs from the one in the bundle."""
    if fault.ask in {step.ask for step in steps} or not fault.ask.startswith(f'{{"deal":{fault.deal},'):
        return "then it was over before this question was sent: see what it does while others think"
    if steps[-1].then:
        return "here it came no further than this question"
    return "the question differs from the one in the bundle: has the arena another version of maumau?"


def _describe_step(step: MomentStep) -> Iterator[str]:
    """Yield a step on the way, for a reply that differs from the original one."""
    then = "nothing" if step.then == "-" else step.then
    yield f"replied {plain(step.reply)[:200]}, then {then}{f' ({step.wrong})' if step.wrong else ''}"
