"""The entry point: `maumau COMMAND …`. Exit codes: 1 refused or failed, 2 usage, 3 arena not reachable,
4 verify found a difference, 130 interrupted."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from maumau.cli import (
    account,
    bot,
    check,
    conform,
    duel,
    ladder,
    log,
    match,
    new,
    play,
    replay,
    reproduce,
    rules,
    run,
    scenario,
    tournament,
    verify,
)
from maumau.cli.output import fail
from maumau.errors import ArenaUnreachable, DeadlinePassed, MaumauError

EPILOG = "Exit codes: 1 refused or failed, 2 usage, 3 arena not reachable, 4 verify found a difference."


def build() -> typer.Typer:
    """All commands. Their modules import what they need when they run, so that --help is quick."""
    app = typer.Typer(
        help="Programs play Mau-Mau against each other; the arena proves which one is best.",
        epilog=EPILOG,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    home = (new, play, duel, ladder, check, conform, replay, reproduce)
    for group in (*home, run, account, bot, log, scenario, verify):
        group.add_to(app)
    app.add_typer(tournament.app, name="tournament")
    app.add_typer(match.app, name="match")
    app.add_typer(rules.app, name="rules")
    return app


def _version(asked: bool) -> None:  # noqa: FBT001  # typer gives it so
    if asked:
        from importlib.metadata import version

        typer.echo(f"maumau {version('maumau-arena')}")
        raise typer.Exit


def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """What may stand before a command."""


def main(arguments: list[str] | None = None) -> None:
    """Runs one command and exits with its code; an expected error is one line."""
    given = sys.argv[1:] if arguments is None else arguments
    _open_streams()
    if arguments is None:
        for number in (signal.SIGTERM, signal.SIGHUP):  # asked to end, or the terminal was closed
            if signal.getsignal(number) == signal.SIG_DFL:  # nohup has it ignored
                signal.signal(number, _end)
    sys.exit(_run(given, as_json="--json" in given))


def _end(number: int, _frame: object) -> None:
    """Ends as Ctrl-C does: no process and no folder of its own is left."""
    sys.exit(128 + number)


def _open_streams() -> None:
    """A character that the terminal does not have is a question mark; a stream that is closed takes all."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115  # until the end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _run(given: list[str], *, as_json: bool) -> int:
    try:
        code = build()(given or ["--help"], prog_name="maumau", standalone_mode=False)
    except MaumauError as error:
        silent = isinstance(error, (ArenaUnreachable, DeadlinePassed))
        return fail(error.reason, str(error), 3 if silent else 1, as_json=as_json)
    except typer.TyperException as error:
        words = error.format_message() if hasattr(error, "format_message") else str(error)
        return fail("USAGE", words, getattr(error, "exit_code", 2), as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        return fail("INTERRUPTED", "interrupted", 130, as_json=as_json)
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
        return 0
    except OSError as error:  # a full disk, a folder that is gone
        _drop_unsaid()
        where = f"{error.filename}: " if error.filename else ""
        return fail("SYSTEM", f"{where}{error.strerror or error}", 1, as_json=as_json)
    return code if isinstance(code, int) else 0


def _drop_unsaid() -> None:
    """What stdout does not take is not tried once more when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
