"""`maumau conformance`: a program is sent every kind of message, and told what it did wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from maumau.cli.shared import game
from maumau.process.scratch import scratch
from maumau.screen.output import Json, json_line, plain, show


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("conformance")(report_conformance)


def report_conformance(
    bot: Annotated[str, typer.Argument(help="A bot: a folder, a file, a zip or the name of a house bot.")],
    *,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Send a bot every kind of message and report what it does wrong. Meant for bots without the SDK.

    Example: maumau conformance my-bot
    """
    from maumau.home import entrant
    from maumau.home.handicap import own_pace
    from maumau.sandbox.launch import choose_sandbox
    from maumau.submission import conformance as arena

    sandbox, wrong = choose_sandbox(tier), 0
    with scratch("run") as room:
        (program,) = entrant.prepare_programs([bot], room, sandbox, game.say_progress)
        for check in arena.check_conformance(program, sandbox, own_pace()):
            wrong += check.state == "wrong"
            if as_json:
                json_line(check)
            else:
                show(f"{check.state:9}  {check.name}" + (f": {plain(check.words)}" if check.words else ""))
    if wrong:
        raise typer.Exit(1)
