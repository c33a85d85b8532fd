"""The order of a table: by groups of the format, then by rating, direct encounter, order of entry.

Ratings are compared as they are written, rounded to 0.01 Elo. Direct encounter: among those with the same
rating, the leads (Σ(2h - unit), whole numbers) of the sets they played against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from maumau.contest.draw import Group
from maumau.contest.entrant import Entrant
from maumau.contest.match import Verdict

if TYPE_CHECKING:
    from maumau.contest.rating import Rating


class Row(msgspec.Struct, frozen=True):
    """A line of the table.

    place: from 1. rating: Elo, the mean of all is 0, with its 95 % interval. sets: deal sets that count.
    won, lost, level: matches decided. rule: what puts it above the next line: "rating", "direct encounter",
    "order of entry", "withdrawn", "disqualified", or in a bracket "final", "third place", "bracket"; ""
    in the last line.
    """

    place: int
    entrant: int
    name: str
    rating: float
    low: float
    high: float
    sets: int
    won: int
    lost: int
    level: int
    rule: str


def rank(
    entrants: Sequence[Entrant], verdicts: Sequence[Verdict], groups: Sequence[Group]
) -> tuple[Row, ...]:
    """The table of these entrants after these verdicts, best first."""
    ratings = rate(entrants, verdicts)
    played: dict[int, list[Verdict]] = {entrant.number: [] for entrant in entrants}
    for verdict in verdicts:
        played[verdict.first].append(verdict)
        played[verdict.second].append(verdict)
    order: list[tuple[int, str]] = []
    for group in groups:
        order += _ordered(group, ratings, played)
    order[-1] = (order[-1][0], "")
    names = {entrant.number: entrant.name for entrant in entrants}
    return tuple(
        _row(place, number, names[number], ratings[number], played[number], rule)
        for place, (number, rule) in enumerate(order, start=1)
    )


def rate(entrants: Sequence[Entrant], verdicts: Iterable[Verdict]) -> dict[int, Rating]:
    """The ratings of all entrants from all sets that count, by entrant."""
    from maumau.contest.rating import Duel, fit  # with NumPy, which a service needs with its first result

    duels = [Duel(verdict.first - 1, verdict.second - 1, verdict.sums) for verdict in verdicts]
    return dict(enumerate(fit(len(entrants), duels), start=1))


def _ordered(
    group: Group, ratings: dict[int, Rating], played: dict[int, list[Verdict]]
) -> list[tuple[int, str]]:
    """The entrants of a group with what puts each above the next."""
    tied: dict[float, set[int]] = {}
    for number in group.entrants:
        tied.setdefault(ratings[number].elo, set()).add(number)
    leads = {number: _lead(number, tied[ratings[number].elo], played[number]) for number in group.entrants}
    order = sorted(group.entrants, key=lambda number: (-ratings[number].elo, -leads[number], number))
    rules = [_rule(ratings, leads, above, below) for above, below in pairwise(order)]
    return list(zip(order, [*rules, group.rule], strict=True))


def _lead(number: int, equals: set[int], mine: Iterable[Verdict]) -> int:
    """By how much an entrant is ahead in the sets against its equals."""
    among = [verdict for verdict in mine if {verdict.first, verdict.second} <= equals]
    return sum(verdict.sums.lead if verdict.first == number else -verdict.sums.lead for verdict in among)


def _rule(ratings: dict[int, Rating], leads: dict[int, int], above: int, below: int) -> str:
    if ratings[above].elo != ratings[below].elo:
        return "rating"
    return "direct encounter" if leads[above] != leads[below] else "order of entry"


def _row(place: int, number: int, name: str, rating: Rating, mine: Sequence[Verdict], rule: str) -> Row:
    decided = [verdict for verdict in mine if verdict.decided]
    return Row(
        place=place,
        entrant=number,
        name=name,
        rating=rating.elo,
        low=rating.low,
        high=rating.high,
        sets=sum(verdict.counted for verdict in mine),
        won=sum(verdict.winner == number for verdict in decided),
        lost=sum(verdict.winner not in (None, number) for verdict in decided),
        level=sum(verdict.winner is None for verdict in decided),
        rule=rule,
    )
