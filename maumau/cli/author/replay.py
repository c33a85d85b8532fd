"""`maumau replay`: step through a record with keys in a terminal, or print it line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maumau.cli.shared.browser import ReplayedDeal, show_played
from maumau.screen.output import Html, Json, Style


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("replay")(replay_file)


def replay_file(  # noqa: PLR0913 - a flag for everything that may be chosen
    file: Annotated[
        Path, typer.Argument(help="A record of a deal, a deal set or a game, or an export; `-` reads stdin.")
    ],
    *,
    match: Annotated[str | None, typer.Option(help="The match in an export, such as 1.2.1.")] = None,
    deal: Annotated[
        int | None, typer.Option(min=0, help="The number of the deal; in an export, of the deal set.")
    ] = None,
    at: Annotated[
        int | None, typer.Option(min=0, help="Print the table after this many events and exit.")
    ] = None,
    seat: Annotated[str | None, typer.Option(help="Show only what this seat sees, such as B.")] = None,
    suits: Annotated[Style, typer.Option(help="The suits to draw cards with.")] = Style.FRENCH,
    own: Annotated[Path | None, typer.Option("--rules", help="The .toml file of your own variant.")] = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Step through a record with the arrow keys; without a terminal, print it line by line.

    Example: maumau replay cup.export.jsonl --match 2.1.1 --deal 17
    """
    from maumau.cli.shared.source import read_sources
    from maumau.game import load_file

    rules = load_file(own) if own else None
    played = [ReplayedDeal(source, rules) for source in read_sources(file, match, deal)]
    show_played(played, seat, suits, at, html, as_json=as_json)
