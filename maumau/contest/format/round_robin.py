"""Round robin: each two entrants meet once a leg, in the order of FIDE's Berger tables (handbook C.05)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from msgspec import Meta

from maumau.contest.format.draw import Draw, Find, Group, Round
from maumau.contest.format.format import Format, refuse_third_place
from maumau.contest.format.match import MatchPlan
from maumau.contest.format.stage import Stage


class RoundRobinStage(Stage, frozen=True):
    """A stage in which everybody meets everybody."""

    legs: Annotated[int, Meta(ge=1, le=10)] = 1
    """How often everybody meets everybody; whoever is named first in one leg is named second in the next."""


def schedule(stage: Any, number: int, seeds: Sequence[int], find: Find) -> Draw:
    """Return all matches at once; the pairings depend on the seeds alone."""
    once = pair_rounds(len(seeds))
    legs = [once if leg % 2 == 0 else _turn_over(once) for leg in range(getattr(stage, "legs", 1))]
    turns = [pairs for leg in legs for pairs in leg]
    rounds = tuple(plan_round(number, turn, [seeds], [pairs]) for turn, pairs in enumerate(turns, start=1))
    matches = [plan for one in rounds for plan in one.matches]
    decided = [find(plan) for plan in matches]
    return Draw(tuple(seeds), rounds, (Group(tuple(seeds)),), all(decided), fixed=True)


def pair_rounds(size: int) -> list[list[tuple[int, int]]]:
    """Return rounds of pairs of the numbers 0 … size - 1; with an odd size, `size` stands for the bye.

    In round r the numbers whose sum is r + 2 (counted from 1) modulo m meet, m the odd number of moving
    players; a player that would meet itself meets the last one, which does not move.
    """
    moving = size - 1 + size % 2
    return [_pair_round(turn, moving) for turn in range(moving)]


def plan_round(
    stage: int, turn: int, fields: Sequence[Sequence[int]], pairs: Sequence[Sequence[tuple[int, int]]]
) -> Round:
    """Return a round of several fields side by side, numbered through.

    fields: their entrants, best seed first. pairs: of each field, by the places of its entrants from 0; the
    number of the field's entrants stands for the bye.
    """
    met = [(field, *pair) for field, both in zip(fields, pairs, strict=True) for pair in both]
    played = [(field, a, b) for field, a, b in met if max(a, b) < len(field)]
    matches = tuple(
        MatchPlan(
            label=f"{stage}.{turn}.{board}",
            stage=stage,
            round=turn,
            number=board,
            first=field[a],
            second=field[b],
            bracket=False,
            better_seed=field[min(a, b)],
        )
        for board, (field, a, b) in enumerate(played, start=1)
    )
    byes = tuple(field[min(a, b)] for field, a, b in met if max(a, b) == len(field))
    return Round(turn, f"round {turn}", matches, byes)


def _pair_round(turn: int, moving: int) -> list[tuple[int, int]]:
    alone = turn * (moving + 1) // 2 % moving
    still = (moving, alone) if turn % 2 else (alone, moving)
    others = ((alone + step) % moving for step in range(1, moving // 2 + 1))
    return [still, *((one, (2 * alone - one) % moving) for one in others)]


def _turn_over(turns: Sequence[Sequence[tuple[int, int]]]) -> list[list[tuple[int, int]]]:
    """Return the rounds with the first and the second of each pair exchanged."""
    return [[(b, a) for a, b in pairs] for pairs in turns]


ROUND_ROBIN: Final = Format(
    name="round_robin",
    label="everybody against everybody",
    title="every two entrants play one match, or one in each leg",
    schedule=schedule,
    stage=RoundRobinStage,
    has_crosstable=True,
    check=refuse_third_place,
)
