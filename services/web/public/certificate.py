"""Results and certificates of a contest, to print."""

from typing import NamedTuple

from maumau.client.answer import Standing, Tournament
from services.web.client import Arena


class PrintedLine(NamedTuple):
    """A bot's final standing, and the account or team under which it was entered."""

    standing: Standing
    owner: str


class PrintedResult(NamedTuple):
    """A contest with its final table; without lines while that may still change."""

    tournament: Tournament
    lines: tuple[PrintedLine, ...]


async def find_printed(arena: Arena, name: str) -> PrintedResult:
    """Return what is printed of a contest: guests, the disqualified and the withdrawn get no certificate."""
    tournament = await arena.get_tournament(name)
    if tournament.state != "finished":
        return PrintedResult(tournament, ())
    entered = {
        one.number: one for one in tournament.entries if not (one.withdrawn or one.disqualified or one.guest)
    }
    standings = (await arena.get_standings(name)).standings
    lines = (
        PrintedLine(one, entered[one.entrant].account_name) for one in standings if one.entrant in entered
    )
    return PrintedResult(tournament, tuple(lines))
