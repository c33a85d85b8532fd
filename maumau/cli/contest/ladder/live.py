"""`maumau ladder live`: the ratings of live play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import game, place
from maumau.screen.output import Json, Where, count_things, json_line, show

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.client.answer import GetLiveRatingsResponse, LiveRating


def live_ratings(
    variant: Annotated[str, typer.Argument(help="The variant, such as mau_mau or prsi.")],
    *,
    seats: game.Seats = None,
    options: game.Options = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show the ratings of live play, which has independent deals and a ladder of its own.

    Example: maumau ladder live prsi
    """
    from maumau.game.ruleset.rules import chosen_text

    rules = game.load_rules(variant, options)
    with place.connect_seeks(arena) as seeks:
        found = seeks.ratings(rules.name, chosen_text(rules), seats or 0)
    if as_json:
        json_line(found)
        return
    games = count_things(found.games, "rated game")
    show(f"{rules.name}, {found.seats} players, live: {games}, each an independent deal")
    show(
        _tabulate_ratings(found)
        if found.ratings
        else "nobody has played a rated game yet; `maumau seek --rated` does"
    )
    if any(line.provisional for line in found.ratings):
        show("? provisional: fewer than 50 games, or fewer than 10 with house bots")


def _tabulate_ratings(found: GetLiveRatingsResponse) -> Table:
    from maumau.screen.table import table

    made = table(">#", "bot", "author", ">rating", ">95 %", ">games")
    for line in found.ratings:
        made.add_row(
            str(line.place or ""),
            line.bot_name,
            line.account_name,
            _describe_rating(line),
            f"{line.low:+z.0f} to {line.high:+z.0f}" if line.place else "no game counts yet",
            f"{line.games:,}",
        )
    return made


def _describe_rating(line: LiveRating) -> str:
    if not line.place:
        return "?"
    return f"{line.elo:+z.0f}{'?' if line.provisional else ''}"
