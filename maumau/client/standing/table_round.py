"""Rounds at tables of more than two, from the matches that the arena answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from maumau.client.answer import Match, Round
from maumau.client.standing.group_table import select_stage
from maumau.contest.format.tables import TABLES


class RoundSeat(NamedTuple):
    """A bot at a table. place: from 1, 0 before the first set. score: the share of the others it beat."""

    place: int
    entrant: int
    name: str
    score: float


class TableRound(NamedTuple):
    """A round of a stage at tables: its matches."""

    stage: int
    round: int
    matches: Sequence[Match]


def list_table_rounds(matches: Sequence[Match]) -> list[TableRound]:
    """Return the rounds of all stages at tables, in their order."""
    stages = list_table_stages(matches)
    return [found for stage in stages for found in _split_rounds(stage, select_stage(matches, stage))]


def list_table_stages(matches: Iterable[Match]) -> list[int]:
    """Return the numbers of the stages that are played at tables, also if all who are left are two."""
    met = (one for one in matches if one.format == TABLES.name or one.players)
    return list(dict.fromkeys(int(one.label.partition(".")[0]) for one in met))


def is_at_tables(rounds: Iterable[Round]) -> bool:
    """Return True if these rounds of a knock-out are played at tables of more than two."""
    return any(match.players for one in rounds for match in one.matches)


def _split_rounds(stage: int, matches: Iterable[Match]) -> list[TableRound]:
    def turn_of(one: Match) -> int:
        return int(one.label.split(".")[1])

    return [
        TableRound(stage, number, list(part))
        for number, part in groupby(sorted(matches, key=turn_of), turn_of)
    ]


def list_seats(match: Match) -> list[RoundSeat]:
    """Return the bots of a match, the best one first."""
    if match.players:
        return [RoundSeat(one.place, one.entrant, one.bot_name, one.score) for one in match.ranking]
    pair = [
        (match.estimate, match.first, match.first_name),
        (1 - match.estimate, match.second, match.second_name),
    ]
    best = max(pair)[0]
    ordered = sorted(pair, key=lambda one: -one[0])
    places = [1 if one[0] == best else 2 for one in ordered] if match.sets else [0, 0]
    return [
        RoundSeat(place, number, name, score)
        for place, (score, number, name) in zip(places, ordered, strict=True)
    ]


def tell_level(match: Match) -> list[tuple[str, str]]:
    """Return the names of each pair of a decided match that is not separated."""
    return [(match.names[one.first], match.names[one.second]) for one in match.level]


def name_ahead(match: Match) -> list[str]:
    """Return the names of the bots that advance from a decided table, best first."""
    return [match.names[one] for one in match.ahead]
