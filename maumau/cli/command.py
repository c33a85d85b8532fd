"""All commands of `maumau`, and how one of them ends: with an exit code, and an error in one line."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import shlex
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from maumau.cli.arena import action, admin, deletion, group, run, status, team, token, webhook, worker
from maumau.cli.author import (
    account,
    bot,
    check,
    conform,
    duel,
    league,
    log,
    new,
    past_practice,
    play,
    practice,
    replay,
    reproduce,
    review,
    rules,
    scenario,
)
from maumau.cli.contest import data, match, tournament, verify
from maumau.cli.contest.ladder import ladder
from maumau.cli.player import mcp, seat, seek, tables
from maumau.cli.usage import join_lines, name_values, say_misuse
from maumau.errors import ArenaUnreachable, DeadlinePassed, MaumauError
from maumau.process import trace
from maumau.process.silence import listen_for_silence
from maumau.screen.next_steps import after_refusal, say_asked
from maumau.screen.output import INTERRUPTED, details, fail, tell_aside

SIGNALLED: Final = 128  # and the signal's number: the exit code of a command that a signal ended
ENDS: Final = ("SIGTERM", "SIGHUP")  # asked to end, or the terminal was closed, which Windows does not tell
RAISE_AGAIN_SECONDS: Final = 0.01

HEADINGS: Final = {
    "At home, without an arena": (
        "new play duel league validate conformance reproduce replay review runtimes doctor"
    ),
    "Rules": "rules scenario",
    "Your account and your bots": (
        "login logout whoami account page submit bots activate retire logs practice practices ladder team"
        " webhook"
    ),
    "Watch and play": "tables watch seat seek mcp match",
    "Contests": "tournament group queue verify data",
    "Run an arena": "up demo info status workers actions token admin",
}
"""Commands by reader: bot authors, entrants, players, organisers, operators."""
COMMANDS: Final = (
    *(new, play, duel, league, check, conform, replay, review, reproduce),
    *(practice, run, account, action, bot, data, log, mcp, scenario, seat, seek, status, tables, verify),
    worker,
)
"""Modules that add commands of one word."""
STARTERS: Final = ("up", "demo", "worker")
"""Commands that start what they call, and wait for it."""
GROUPS: Final = {
    "admin": admin,
    "group": group,
    "tournament": tournament,
    "match": match,
    "ladder": ladder,
    "practices": past_practice,
    "team": team,
    "account": deletion,
    "token": token,
    "webhook": webhook,
    "rules": rules,
}
"""Modules whose commands are words after their name."""
EPILOG = (
    "Exit codes: 0 done, 1 refused or failed, 2 usage, 3 arena not reachable, 4 verify found a difference,"
    " 5 the arena is not well, 130 interrupted. When the reader of a pipe has closed it, a command stops with"
    " exit code 0."
)


@functools.cache
def build_commands() -> TyperGroup:
    """Return all commands, built once. Their modules import lazily, so that --help is quick."""
    app = typer.Typer(
        help="Programs play Mau-Mau against each other; the arena proves which one is best.",
        epilog=EPILOG,
        pretty_exceptions_enable=False,
    )
    app.callback()(_handle_options)
    for part in COMMANDS:
        part.add_to(app)
    for name, group_of in GROUPS.items():
        app.add_typer(group_of.app, name=name)
    command = get_command(app)
    assert isinstance(command, TyperGroup)
    _sort_by_reader(command)
    name_values(command)
    join_lines(command)
    return command


def _sort_by_reader(group: TyperGroup) -> None:
    """Put every command under its heading in `maumau --help`, in the order of `HEADINGS`."""
    places = {name: heading for heading, names in HEADINGS.items() for name in names.split()}
    group.commands = {name: group.commands[name] for name in places}
    for name, command in group.commands.items():
        assert isinstance(command, TyperCommand | TyperGroup)
        command.rich_help_panel = places[name]


def _show_version(context: typer.Context, asked: bool) -> None:  # noqa: FBT001  # typer gives it so
    if asked:
        from maumau.build import describe_build
        from maumau.screen.output import json_line

        build = describe_build()
        if context.params.get("as_json"):
            json_line(build)
        else:
            typer.echo(f"maumau {build.version}")
            typer.echo(f"commit {build.commit or 'unknown'}")
            typer.echo(f"protocol {build.protocol}, rules {build.rules_hash} ({len(build.rules)} variants)")
            typer.echo(f"Python {build.python}, the engine is {build.engine}")
        raise typer.Exit


def _handle_options(
    *,
    version: Annotated[  # noqa: ARG001  # its callback ends the command
        bool,
        typer.Option(
            "--version", callback=_show_version, help="Show version, commit, protocol and rules, and exit."
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", is_eager=True, help="With --version: as JSON, with the hash of every variant."
        ),
    ] = False,
) -> None:
    """Handle the options before a command."""
    if as_json:
        raise typer.BadParameter("before a command it has no effect; write it after the command")


def run_command(arguments: list[str] | None = None) -> int:
    """Run one command, by default the one on the command line; return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    _open_streams()
    if arguments is None:
        for name in ENDS:
            number = getattr(signal, name, None)
            if number and signal.getsignal(number) == signal.SIG_DFL:  # nohup has it ignored
                signal.signal(number, _end_as_interrupted)
        if hasattr(signal, "setitimer"):
            sys.unraisablehook = _raise_lost_signal
    trace.start_tracing("client")
    code = _run_to_code(given, as_json="--json" in given)
    trace.end_tracing()
    _drop_unsaid()
    if arguments is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # all is done; no traceback of Python's own end
    return code


def _end_as_interrupted(number: int, _frame: object) -> None:
    """End as Ctrl-C does: no process and no folder of its own is left."""
    sys.exit(SIGNALLED + number)


def _raise_lost_signal(lost: Any) -> None:
    """Raise a signal again that came while Python ran a callback, such as a weak reference's.

    Python only prints the exception there and continues.
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
    """Replace closed streams by a null device, so that no file gets their numbers.

    Characters that the terminal does not have become question marks.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  # until the end
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="replace")


def _run_to_code(given: list[str], *, as_json: bool) -> int:  # noqa: PLR0911 - a return for each way to end
    try:
        code = _invoke_command(given or ["--help"])
        sys.stdout.flush()
    except MaumauError as error:
        silent = isinstance(error, (ArenaUnreachable, DeadlinePassed))
        code, words = 3 if silent else 1, str(error)
        if isinstance(error, DeadlinePassed) and error.request_id:  # the arena's log has the result
            words += f" (request id {error.request_id})"
        if not as_json:
            parts = words, _say_way_out(error, given) or after_refusal(error), say_asked(error)
            words = _join_sentences(part for part in parts if part)
        return fail(error.reason, words, code, as_json=as_json, more=details(error))
    except typer.TyperException as error:
        words, code = say_misuse(error), getattr(error, "exit_code", 2)
        return fail("USAGE", words, code, as_json=as_json) if words else code  # its help has been shown
    except (KeyboardInterrupt, typer.Abort):
        return fail("INTERRUPTED", "interrupted", INTERRUPTED, as_json=as_json)
    except BrokenPipeError:  # the reader has seen enough
        return 0
    except SystemExit as end:  # rich ends so, with exit code 1
        if isinstance(end.__context__, BrokenPipeError):
            return 0
        raise
    except OSError as error:  # a full disk, a folder that is gone
        where = f"{error.filename}: " if error.filename else ""
        return fail("SYSTEM", f"{where}{error.strerror or error}", 1, as_json=as_json)
    return code


def _join_sentences(parts: Iterable[str]) -> str:
    """Return the sentences as one text; the errors of the game have no full stop of their own."""
    *first, last = parts
    return " ".join([*(one if one.endswith((".", "!", "?", ":")) else f"{one}." for one in first), last])


def _say_way_out(error: MaumauError, given: list[str]) -> str:
    """Return how to use an account that may do this: one kept here, or the admin of an arena of one's own.

    For a contest's name in place of a variant's or a bot's, return the command that takes it; for a folder in
    place of an arena's bot, the one that submits it. An unknown contest may be one with a name near it.
    """
    if error.reason in {"UNKNOWN_BOT", "UNKNOWN_VERSION"} and _is_bot_folder(error.thing):
        folder = shlex.quote(error.thing)
        return f"Name a bot as the arena does; `maumau submit {folder}` submits the one in {folder}."
    if error.reason in {"UNKNOWN_VARIANT", "UNKNOWN_BOT", "UNKNOWN_VERSION", "NO_SUBMISSION"}:
        from maumau.cli.shared.contest_hint import hint_at_contest

        return hint_at_contest(error, given)
    if error.reason == "UNKNOWN_TOURNAMENT":
        from maumau.cli.shared.contest_hint import hint_at_near

        near = hint_at_near(error, given)
        return f"{near} {after_refusal(error)}" if near else ""
    is_for_admins = error.reason == "NOT_ALLOWED" and "admin" in str(error)
    if not is_for_admins and error.reason != "MISSING_TOKEN":
        return ""
    from maumau.cli.shared import place

    return place.say_own_admin(given) if is_for_admins else place.say_kept_accounts(given)


def _is_bot_folder(name: str) -> bool:
    with contextlib.suppress(OSError):  # too long for a path
        return bool(name) and Path(name, "bot.toml").is_file()
    return False


def _invoke_command(given: list[str]) -> int:
    """Run a command, but not by its own `main`, which ends with exit code 1 if a pipe is closed."""
    command = build_commands()
    if "_MAUMAU_COMPLETE" in os.environ:  # a shell asks how words go on
        command(given, prog_name="maumau")
    is_told = given[0] not in STARTERS and "--json" not in given
    try:
        with (
            listen_for_silence(_tell_silence) if is_told else contextlib.nullcontext(),
            command.make_context("maumau", given) as context,
        ):
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except (RuntimeError, ValueError) as error:
        raise _signal_behind(error) or error from None
    return 0


def _tell_silence(address: str) -> None:
    tell_aside(f"the arena at {address} does not answer yet; Ctrl-C ends the wait for it")


def _signal_behind(error: BaseException) -> BaseException | None:
    """Return the exit that a signal requested between two steps of a lock or a zip; None for other errors.

    The lock then raises "cannot release un-acquired lock", with the exit as its context, and the zip that it
    cannot be closed while one of its files is being written.
    """
    cause = error.__context__
    while cause is not None and not isinstance(cause, (KeyboardInterrupt, SystemExit)):
        cause = cause.__context__
    return cause


def _drop_unsaid() -> None:
    """Discard output that a stream does not accept, so that Python does not retry at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
