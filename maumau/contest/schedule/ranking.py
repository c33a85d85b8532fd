"""The order of a table: by groups of the format, then by rating, direct encounter, order of entry.

Ratings are compared as they are written, rounded to 0.01 Elo. Direct encounter: among those with the same
rating, the leads (Σ(2h - unit) / unit, exactly) of the sets they played against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

import msgspec

from maumau.contest.entrant import Entrant
from maumau.contest.format.draw import Group
from maumau.contest.format.match import Verdict
from maumau.contest.seed import BOOKINGS_ALONE, VERSION

if TYPE_CHECKING:
    from maumau.contest.statistics.helping import SharedTable
    from maumau.contest.statistics.rating import Rating


class Row(msgspec.Struct, frozen=True):
    """A line of the table.

    place: from 1. rating: Elo about the mean of the field (`rating.fit_ratings`), with its 95 % interval.
    sets: deal sets that count. won, lost, level: matches decided; whoever goes on from a table has won. rule:
    what puts it above the next line: "rating", "direct encounter", "order of entry", "place in the group",
    "cut",
    "withdrawn", "guest", "disqualified", in a Swiss system "points", "Buchholz", "Sonneborn-Berger", or in a
    bracket "final", "third place", "bracket"; "" in the last line.
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


def rank_entrants(
    entrants: Sequence[Entrant],
    verdicts: Sequence[Verdict],
    groups: Sequence[Group],
    version: int = VERSION,
) -> tuple[Row, ...]:
    """Return the table after these verdicts, best first, as exports of this version have it."""
    ratings = rate_entrants(entrants, verdicts, version)
    played: dict[int, list[Verdict]] = {entrant.number: [] for entrant in entrants}
    for verdict in verdicts:
        for player in verdict.players:
            played[player].append(verdict)
    order: list[tuple[int, str]] = []
    for group in groups:
        order += _by_pools(group, ratings, played)
    order[-1] = (order[-1][0], "")
    names = {entrant.number: entrant.name for entrant in entrants}
    return tuple(
        _build_row(place, number, names[number], ratings[number], played[number], rule)
        for place, (number, rule) in enumerate(order, start=1)
    )


def rate_entrants(
    entrants: Sequence[Entrant], verdicts: Iterable[Verdict], version: int = VERSION
) -> dict[int, Rating]:
    """Return the ratings of all entrants from all sets that count, by entrant."""
    from maumau.contest.statistics.rating import (  # with NumPy, which a service needs with its first result
        Duel,
        fit_ratings,
    )

    known = list(verdicts)
    duels = [Duel(one.first - 1, one.second - 1, one.sums) for one in known if not one.others]
    if len(duels) < len(known):
        from maumau.contest.statistics.pod import fit_tables, seat_pod

        tables = [one for one in known if one.others]
        pods = [seat_pod([player - 1 for player in one.players], one.table) for one in tables]
        return dict(enumerate(fit_tables(len(entrants), duels, pods), start=1))
    found = fit_ratings(len(entrants), duels, about_known=version > BOOKINGS_ALONE)
    return dict(enumerate(found, start=1))


def list_tables(verdicts: Iterable[Verdict]) -> list[SharedTable]:
    """Return the sets of these matches as tables of two and more, one each; players are numbered from 0."""
    from maumau.contest.statistics.helping import table_of_pod, table_of_two
    from maumau.contest.statistics.pod import seat_pod

    return [
        table_of_pod(seat_pod([player - 1 for player in one.players], one.table))
        if one.others
        else table_of_two(one.first - 1, one.second - 1, one.sums)
        for one in verdicts
    ]


def _by_pools(
    group: Group, ratings: dict[int, Rating], played: dict[int, list[Verdict]]
) -> list[tuple[int, str]]:
    """Return the entrants of a group, the winners of their pools first, then the runners-up."""
    if not group.pools:
        return _order_group(group, ratings, played)
    pools = [[one for one, _ in _order_group(Group(pool), ratings, played)] for pool in group.pools]
    ranks = [tuple(one for one in rank if one is not None) for rank in zip_longest(*pools)]
    rules = [*("place in the group" for _ in ranks[1:]), group.rule]
    parts = [
        _order_group(Group(rank, rule), ratings, played) for rank, rule in zip(ranks, rules, strict=True)
    ]
    return [line for part in parts for line in part]


def _order_group(
    group: Group, ratings: dict[int, Rating], played: dict[int, list[Verdict]]
) -> list[tuple[int, str]]:
    """Return the entrants of a group, each with the reason why it ranks above the next."""
    tied: dict[float, set[int]] = {}
    for number in group.entrants:
        tied.setdefault(ratings[number].elo, set()).add(number)
    leads = {
        number: _compute_lead(number, tied[ratings[number].elo], played[number]) for number in group.entrants
    }
    order = sorted(group.entrants, key=lambda number: (-ratings[number].elo, -leads[number], number))
    rules = [_find_rule(ratings, leads, above, below) for above, below in pairwise(order)]
    return list(zip(order, [*rules, group.rule], strict=True))


def _compute_lead(number: int, equals: set[int], mine: Iterable[Verdict]) -> Fraction:
    """Return the lead of an entrant in the sets against its equals."""
    return sum((_lead_in(verdict, number, equals) for verdict in mine), Fraction())


def _lead_in(verdict: Verdict, number: int, equals: set[int]) -> Fraction:
    """Return the lead in shares of the worth of a set, which tables of all sizes have in common."""
    if verdict.others:
        at, rivals = verdict.players.index(number), enumerate(verdict.players)
        sums = [verdict.table.compare_players(at, other) for other, one in rivals if one in equals]
        return sum((Fraction(one.lead, one.unit) for one in sums), Fraction())
    if not {verdict.first, verdict.second} <= equals:
        return Fraction()
    return Fraction(verdict.sums.lead if verdict.first == number else -verdict.sums.lead, verdict.unit)


def _find_rule(ratings: dict[int, Rating], leads: dict[int, Fraction], above: int, below: int) -> str:
    if ratings[above].elo != ratings[below].elo:
        return "rating"
    return "direct encounter" if leads[above] != leads[below] else "order of entry"


def _has_won(verdict: Verdict, number: int) -> bool | None:
    """Return True if an entrant won a decided match or went on by it, None if nobody did."""
    if verdict.through:
        return number in verdict.ahead
    return None if verdict.winner is None else verdict.winner == number


def _build_row(place: int, number: int, name: str, rating: Rating, mine: Sequence[Verdict], rule: str) -> Row:
    decided = [verdict for verdict in mine if verdict.decided]
    return Row(
        place=place,
        entrant=number,
        name=name,
        rating=rating.elo,
        low=rating.low,
        high=rating.high,
        sets=sum(verdict.counted for verdict in mine),
        won=sum(_has_won(verdict, number) is True for verdict in decided),
        lost=sum(_has_won(verdict, number) is False for verdict in decided),
        level=sum(_has_won(verdict, number) is None for verdict in decided),
        rule=rule,
    )
