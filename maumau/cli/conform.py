"""`maumau conformance`: a program is sent every kind of message, and told what it did wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from maumau.cli import game
from maumau.cli.output import Json, json_line, plain, show
from maumau.cli.scratch import scratch


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(conformance)


def conformance(
    bot: Annotated[str, typer.Argument(help="A bot: a folder, a file, a zip or the name of a house bot.")],
    *,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Send a bot every kind of message and report what it does wrong. Meant for bots without the SDK.

    Example: maumau conformance my-bot
    """
    from maumau.bot import conformance as arena
    from maumau.bot.sandbox import choose_sandbox
    from maumau.home import entrant
    from maumau.home.handicap import own_pace

    sandbox, wrong = choose_sandbox(tier), 0
    with scratch("run") as room:
        (program,) = entrant.prepared([bot], room, sandbox, game.say)
        for check in arena.check_conformance(program, sandbox, own_pace()):
            wrong += check.state == "wrong"
            if as_json:
                json_line(check)
            else:
                show(f"{check.state:9}  {check.name}" + (f": {plain(check.words)}" if check.words else ""))
    if wrong:
        raise typer.Exit(1)
