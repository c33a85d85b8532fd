"""`maumau ladder live`: the ratings of live play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from maumau.cli.shared import game, place
from maumau.screen.output import Json, Where, count_things, json_line, show

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.client.answer import GetLiveRatingsResponse, LiveRating

MARK: Final = "?"  # behind a provisional rating


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
    if any(MARK in _rating_cells(line)[0] for line in found.ratings):
        show(f"{MARK} provisional: fewer than 50 games, or fewer than 10 with house bots")


def _tabulate_ratings(found: GetLiveRatingsResponse) -> Table:
    from maumau.screen.table import table

    made = table(">#", "bot", "author", ">rating", ">95 %", ">games")
    for line in found.ratings:
        made.add_row(
            str(line.place or ""),
            line.bot_name,
            line.account_name,
            *_rating_cells(line),
            f"{line.games:,}",
        )
    return made


def _rating_cells(line: LiveRating) -> tuple[str, str]:
    """Return a rating, marked while it is provisional, and its interval, as all boards show them."""
    from maumau.screen.table import rating_cells

    if not line.place:
        return "", "no game counts yet"
    rating, interval = rating_cells(line.elo, line.low, line.high, line.games, "game")
    return f"{rating}{MARK if rating and line.provisional else ''}", interval
