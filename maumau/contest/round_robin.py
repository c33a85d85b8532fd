"""Round robin: everybody meets everybody once, in the order of the Berger tables of FIDE (handbook C.05)."""

from __future__ import annotations

from collections.abc import Sequence

from maumau.contest.draw import Draw, Find, Group, Round
from maumau.contest.match import MatchPlan
from maumau.contest.spec import Stage


def round_robin(_stage: Stage, number: int, seeds: Sequence[int], find: Find) -> Draw:
    """All matches at once; who meets whom depends on the seeds alone."""
    rounds = tuple(
        _round(number, turn, seeds, pairs) for turn, pairs in enumerate(berger(len(seeds)), start=1)
    )
    matches = [plan for one in rounds for plan in one.matches]
    done = all(find(plan) for plan in matches)
    return Draw(tuple(seeds), rounds, (Group(tuple(seeds)),), done, fixed=True)


def berger(size: int) -> list[list[tuple[int, int]]]:
    """Rounds of pairs of the numbers 0 … size - 1; with an odd size, `size` stands for the bye.

    In round r the numbers whose sum is r + 2 (counted from 1) modulo m meet, m the odd number of those who
    move; who would meet himself meets the last one, who sits still.
    """
    moving = size - 1 + size % 2
    return [_pairs(turn, moving) for turn in range(moving)]


def _pairs(turn: int, moving: int) -> list[tuple[int, int]]:
    alone = turn * (moving + 1) // 2 % moving
    still = (moving, alone) if turn % 2 else (alone, moving)
    others = ((alone + step) % moving for step in range(1, moving // 2 + 1))
    return [still, *((one, (2 * alone - one) % moving) for one in others)]


def _round(stage: int, turn: int, seeds: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Round:
    played = [(a, b) for a, b in pairs if max(a, b) < len(seeds)]
    matches = tuple(
        MatchPlan(
            label=f"{stage}.{turn}.{board}",
            stage=stage,
            round=turn,
            number=board,
            first=seeds[a],
            second=seeds[b],
            bracket=False,
            better_seed=seeds[min(a, b)],
        )
        for board, (a, b) in enumerate(played, start=1)
    )
    byes = tuple(seeds[min(a, b)] for a, b in pairs if max(a, b) == len(seeds))
    return Round(turn, f"round {turn}", matches, byes)
