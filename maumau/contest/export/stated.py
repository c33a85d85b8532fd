"""Statements of an export's match lines before they are checked: their order, who was in a round."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count, takewhile

from maumau.contest.entrant import Entrant
from maumau.contest.export.difference import shorten_value
from maumau.contest.export.line import ResultLine
from maumau.contest.export.sheet import Item, Misread, Sheet
from maumau.contest.format.draw import Draw
from maumau.contest.format.match import MatchPlan
from maumau.contest.format.race import RaceStage
from maumau.contest.format.tables import list_table_stages
from maumau.contest.schedule.advance import LABEL
from maumau.contest.score import SEATINGS
from maumau.contest.spec.spec import Spec


def check_order(run: Sequence[Item], size: int) -> None:
    """Raise Misread unless the lines of a match are blocks, each followed by its records, and a result."""
    for place, item in enumerate(run):
        right = "record" if place % (size + 1) else "block"
        if item.kind != right and (item is not run[-1] or right == "record"):
            raise Misread(item.number, "kind", shorten_value(item.kind), shorten_value(right))


def list_stated(sheet: Sheet, spec: Spec, entrants: Sequence[Entrant]) -> list[MatchPlan]:
    """Return the matches stated for entrants that have gone; nothing but label and players is known of them.

    A format that pairs round by round leaves such an entrant out of rounds in which no result names it. Only
    rounds count whose lines have room for all of those named in them or later, save one with a bye: a few
    lines of a forged file cannot ask for many rounds. Rounds at tables are all known from the start, and may
    be decided in any order: there all lines count that state sets, since nobody wins without any. In a race
    all lines count: a batch may have few matches, and all of them say who was there.

    Raises:
        Misread: A result names more players than there can be.
    """
    _check_players(sheet, spec, entrants)
    gone = {one.number for one in entrants if one.withdrawn or one.disqualified}
    stages: dict[str, dict[int, list[ResultLine]]] = {}
    for item in sheet.items["matches"] if gone else ():
        if isinstance(item.line, ResultLine) and (place := LABEL.fullmatch(item.line.match)):
            stages.setdefault(place[1], {}).setdefault(int(place[2]), []).append(item.line)
    tables = {str(number) for number in list_table_stages(spec.stages)}
    races = {str(number) for number, stage in enumerate(spec.stages, start=1) if isinstance(stage, RaceStage)}
    found: list[ResultLine] = []
    for stage, rounds in stages.items():
        if stage in races:
            found += _list_adjoining(rounds, rounds)
            continue
        lines = _list_played(rounds) if stage in tables else _list_filled(rounds, gone)
        found += (line for line in lines if gone.intersection(line.players))
    return [_name_match(line) for line in found]


def _check_players(sheet: Sheet, spec: Spec, entrants: Sequence[Entrant]) -> None:
    """Raise Misread if a result names more players than its stage seats at a table, or than have entered."""
    for item in sheet.items["matches"]:
        if isinstance(item.line, ResultLine) and item.line.others:
            most = min(_count_seats(item.line, spec), max(SEATINGS, len(entrants)))
            if len(item.line.players) > most:
                words = f"{len(item.line.players)} players", f"{most} at most"
                raise Misread(item.number, "others", *words)


def _count_seats(line: ResultLine, spec: Spec) -> int:
    """Return the number of seats of the stage named by the label; two if the stage has no tables."""
    place = LABEL.fullmatch(line.match)
    stage = spec.stages[int(place[1]) - 1] if place and 1 <= int(place[1]) <= len(spec.stages) else None
    return stage.table_seats if stage else SEATINGS


def _list_played(rounds: Mapping[int, Sequence[ResultLine]]) -> Iterator[ResultLine]:
    """Yield the lines of tables that were decided by play."""
    return (line for lines in rounds.values() for line in lines if line.counted)


def _list_filled(rounds: Mapping[int, Sequence[ResultLine]], gone: set[int]) -> Iterator[ResultLine]:
    """Yield the lines of a stage's rounds, from the first, as long as they have enough of them."""
    later: set[int] = set()
    filled: set[int] = set()
    for turn in sorted(rounds, reverse=True):
        later |= gone.intersection(one for line in rounds[turn] for one in line.players)
        if len(later) <= sum(len(line.players) for line in rounds[turn]) + 1:
            filled.add(turn)
    yield from _list_adjoining(rounds, filled)


def _list_adjoining(
    rounds: Mapping[int, Sequence[ResultLine]], filled: Collection[int]
) -> Iterator[ResultLine]:
    """Yield the lines of these rounds from the first up to the first gap."""
    for turn in takewhile(filled.__contains__, count(1)):
        yield from rounds[turn]


def name_drawn(draws: Sequence[Draw]) -> dict[str, tuple[int, ...]]:
    """Return the players who were drawn to each table of all stages, by label."""
    return {label: table for draw in draws for label, table in draw.drawn}


def _name_match(line: ResultLine) -> MatchPlan:
    """Return a match of this name and these players."""
    first, second, *others = line.players
    return MatchPlan(
        line.match, 0, 0, 0, first, second, bracket=False, better_seed=first, others=tuple(others)
    )


def find_turn(plan: MatchPlan, fixed: set[int]) -> tuple[int, int]:
    """Return the stage and round with which a match is paired; round 0 in stages where all are at once."""
    return plan.stage, 0 if plan.stage in fixed else plan.round
