"""All commands of `maumau`, and how one of them ends: with an exit code, and an error in one line."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import signal
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from maumau import trace
from maumau.cli import (
    account,
    action,
    admin,
    bot,
    check,
    conform,
    duel,
    ladder,
    league,
    log,
    match,
    new,
    play,
    practice,
    replay,
    reproduce,
    rules,
    run,
    scenario,
    seat,
    seek,
    status,
    tables,
    token,
    tournament,
    verify,
    worker,
)
from maumau.cli.output import INTERRUPTED, details, fail
from maumau.cli.usage import name_values
from maumau.errors import ArenaUnreachable, DeadlinePassed, MaumauError

SIGNALLED: Final = 128  # and the signal's number: the exit code of a command that a signal ended
RAISE_AGAIN_SECONDS: Final = 0.01

EPILOG = (
    "Exit codes: 0 done, 1 refused or failed, 2 usage, 3 arena not reachable, 4 verify found a difference,"
    " 5 the arena is not well, 130 interrupted. When the reader of a pipe has closed it, a command stops with"
    " exit code 0."
)


@functools.cache
def build_commands() -> TyperGroup:
    """All commands, made once. Their modules import what they need when they run, so that --help is quick."""
    app = typer.Typer(
        help="Programs play Mau-Mau against each other; the arena proves which one is best.",
        epilog=EPILOG,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    home = (new, play, duel, league, check, conform, replay, reproduce)
    for group in (
        *home,
        practice,
        run,
        account,
        action,
        bot,
        log,
        scenario,
        seat,
        seek,
        status,
        tables,
        verify,
        worker,
    ):
        group.add_to(app)
    app.add_typer(admin.app, name="admin")
    app.add_typer(tournament.app, name="tournament")
    app.add_typer(match.app, name="match")
    app.add_typer(ladder.app, name="ladder")
    app.add_typer(token.app, name="token")
    app.add_typer(rules.app, name="rules")
    command = get_command(app)
    assert isinstance(command, TyperGroup)
    name_values(command)
    return command


def _version(context: typer.Context, asked: bool) -> None:  # noqa: FBT001  # typer gives it so
    if asked:
        from maumau.build import describe_build
        from maumau.cli.output import json_line

        build = describe_build()
        if context.params.get("as_json"):
            json_line(build)
        else:
            typer.echo(f"maumau {build.version}")
            typer.echo(f"commit {build.commit or 'unknown'}")
            typer.echo(f"protocol {build.protocol}, rules {build.rules_hash} ({len(build.rules)} variants)")
            typer.echo(
                f"Python {build.python}, the engine is {'compiled' if build.compiled else 'not compiled'}"
            )
        raise typer.Exit


def _options(
    *,
    version: Annotated[  # noqa: ARG001  # its callback ends the command
        bool,
        typer.Option(
            "--version", callback=_version, help="Show version, commit, protocol and rules, and exit."
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", is_eager=True, help="With --version: as JSON, with the hash of every variant."
        ),
    ] = False,
) -> None:
    """What may stand before a command."""
    if as_json:
        raise typer.BadParameter("before a command it has no effect; write it after the command")


def run_command(arguments: list[str] | None = None) -> int:
    """Runs one command, by default the one on the command line; its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    _open_streams()
    if arguments is None:
        for number in (signal.SIGTERM, signal.SIGHUP):  # asked to end, or the terminal was closed
            if signal.getsignal(number) == signal.SIG_DFL:  # nohup has it ignored
                signal.signal(number, _end)
        sys.unraisablehook = _raise_lost_signal
    trace.start_tracing("client")
    code = _run(given, as_json="--json" in given)
    trace.end_tracing()
    _drop_unsaid()
    if arguments is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # all is done; no traceback of Python's own end
    return code


def _end(number: int, _frame: object) -> None:
    """Ends as Ctrl-C does: no process and no folder of its own is left."""
    sys.exit(SIGNALLED + number)


def _raise_lost_signal(lost: Any) -> None:
    """A signal that comes while Python runs a callback, such as a weak reference's, ends nothing: Python
    prints the exception and goes on. So it is raised once more, a moment later.
    """
    asked = lost.exc_value
    if isinstance(asked, KeyboardInterrupt):
        number = int(signal.SIGINT)
    elif isinstance(asked, SystemExit) and isinstance(asked.code, int) and asked.code > SIGNALLED:
        number = asked.code - SIGNALLED
    else:
        sys.__unraisablehook__(lost)
        return
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(number))
    signal.setitimer(signal.ITIMER_REAL, RAISE_AGAIN_SECONDS)


def _open_streams() -> None:
    """A stream that is closed takes all, so that no file gets its number; a character that the terminal
    does not have is a question mark."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  # until the end
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="replace")


def _run(given: list[str], *, as_json: bool) -> int:  # noqa: PLR0911 - a return for each way to end
    try:
        code = _invoke(given or ["--help"])
        sys.stdout.flush()
    except MaumauError as error:
        silent = isinstance(error, (ArenaUnreachable, DeadlinePassed))
        code, words = 3 if silent else 1, str(error)
        if isinstance(error, DeadlinePassed) and error.request_id:  # the arena's log says what came of it
            words += f" (request id {error.request_id})"
        return fail(error.reason, words, code, as_json=as_json, more=details(error))
    except typer.TyperException as error:
        words = error.format_message() if hasattr(error, "format_message") else str(error)
        code = getattr(error, "exit_code", 2)
        return fail("USAGE", words, code, as_json=as_json) if words else code  # its help has been shown
    except (KeyboardInterrupt, typer.Abort):
        return fail("INTERRUPTED", "interrupted", INTERRUPTED, as_json=as_json)
    except BrokenPipeError:  # the reader has seen enough
        return 0
    except SystemExit as end:  # so rich says the same, with exit code 1
        if isinstance(end.__context__, BrokenPipeError):
            return 0
        raise
    except OSError as error:  # a full disk, a folder that is gone
        where = f"{error.filename}: " if error.filename else ""
        return fail("SYSTEM", f"{where}{error.strerror or error}", 1, as_json=as_json)
    return code


def _invoke(given: list[str]) -> int:
    """Not by the command's own `main`: where a pipe is closed that ends with exit code 1."""
    command = build_commands()
    if "_MAUMAU_COMPLETE" in os.environ:  # a shell asks how words go on
        command(given, prog_name="maumau")
    try:
        with command.make_context("maumau", given) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except RuntimeError as error:
        raise _signal_behind(error) or error from None
    return 0


def _signal_behind(error: BaseException) -> BaseException | None:
    """The end that a signal asked for while Python was between two steps of a lock, which then says that
    it "cannot release un-acquired lock"."""
    cause = error.__context__
    while cause is not None and not isinstance(cause, (KeyboardInterrupt, SystemExit)):
        cause = cause.__context__
    return cause


def _drop_unsaid() -> None:
    """What a stream does not take is not tried once more when Python ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
