"""`maumau conformance`: a program is sent every kind of message, and told what it did wrong."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from maumau.cli import game
from maumau.cli.output import Json, json_line, plain, show


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(conformance)


def conformance(
    bot: Annotated[str, typer.Argument(help="A folder, a file, a zip or a house bot's name.")],
    *,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Send a bot every kind of message and say what it does wrong; for bots in a language of one's own."""
    from maumau.bot import conformance as arena
    from maumau.bot.sandbox import choose
    from maumau.home import entrant

    sandbox, wrong = choose(tier), 0
    with tempfile.TemporaryDirectory(prefix="maumau-") as room:
        (program,) = entrant.prepared([bot], Path(room), sandbox, game.say)
        for check in arena.conformance(program, sandbox):
            wrong += check.state == "wrong"
            if as_json:
                json_line(check)
            else:
                show(f"{check.state:9}  {check.name}" + (f": {plain(check.words)}" if check.words else ""))
    if wrong:
        raise typer.Exit(1)
