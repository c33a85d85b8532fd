"""Single elimination: the standard seeded order (1-16, 8-9, …), byes to the top seeds, third place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from maumau.contest.draw import Draw, Find, Group, Round
from maumau.contest.match import MatchPlan
from maumau.contest.spec import Stage

BYE = 0
Slot = int | None
"""An entrant's number, `BYE`, or None: not known yet."""

NAMES = ("final", "semi-final", "quarter-final")


def standard_order(size: int) -> list[int]:
    """Seeds from 1 in the order of the bracket's lines, `size` a power of two: 1, 8, 4, 5, 2, 7, 3, 6."""
    order = [1]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    return order


def single_elimination(stage: Stage, number: int, seeds: Sequence[int], find: Find) -> Draw:
    """The rounds as far as the results let them be known."""
    depth = (len(seeds) - 1).bit_length()
    line: list[Slot] = [seeds[s - 1] if s <= len(seeds) else BYE for s in standard_order(2**depth)]
    lost: list[list[int]] = []
    rounds: list[Round] = []
    for turn in range(1, depth + 1):
        plans = [_plan(number, turn, board, pair, seeds) for board, pair in _pairs(line)]
        byes = tuple(a for _, (a, b) in _pairs(line) if b == BYE and a is not None)
        matches = tuple(plan for plan in plans if plan)
        rounds.append(Round(turn, _name(turn, depth), matches, byes))
        line = [_winner(plan, pair, find) for plan, (_, pair) in zip(plans, _pairs(line), strict=True)]
        lost.append(_losers(matches, find))
    third = _third_place(number, lost, seeds) if stage.third_place else None
    if third:
        rounds.append(Round(depth, "third place", (third,)))
    done = line[0] is not None and (third is None or find(third) is not None)
    return Draw(tuple(seeds), tuple(rounds), _groups(seeds, lost, third, find), done)


def _pairs(line: Sequence[Slot]) -> Iterable[tuple[int, tuple[Slot, Slot]]]:
    return enumerate(zip(line[::2], line[1::2], strict=True), start=1)


def _name(turn: int, depth: int) -> str:
    return NAMES[depth - turn] if depth - turn < len(NAMES) else f"round {turn}"


def _plan(
    stage: int, turn: int, board: int, pair: tuple[Slot, Slot], seeds: Sequence[int]
) -> MatchPlan | None:
    first, second = pair
    if not first or not second:
        return None
    return MatchPlan(
        label=f"{stage}.{turn}.{board}",
        stage=stage,
        round=turn,
        number=board,
        first=first,
        second=second,
        bracket=True,
        better_seed=min(first, second, key=seeds.index),
    )


def _winner(plan: MatchPlan | None, pair: tuple[Slot, Slot], find: Find) -> Slot:
    if plan is None:
        return pair[0] if pair[1] == BYE else None
    verdict = find(plan)
    return verdict.winner if verdict else None


def _losers(matches: Iterable[MatchPlan], find: Find) -> list[int]:
    decided = [(plan, verdict) for plan in matches if (verdict := find(plan))]
    return [plan.second if verdict.winner == plan.first else plan.first for plan, verdict in decided]


def _third_place(number: int, lost: Sequence[list[int]], seeds: Sequence[int]) -> MatchPlan | None:
    """The losers of the semi-finals, once there are two; with three entrants there is only one."""
    if len(lost) < 2 or len(lost[-2]) < 2:
        return None
    return _plan(number, len(lost), 2, (lost[-2][0], lost[-2][1]), seeds)


def _groups(
    seeds: Sequence[int], lost: Sequence[list[int]], third: MatchPlan | None, find: Find
) -> tuple[Group, ...]:
    """Who is not out yet, then the losers of each round, the last round first."""
    out = {entrant for losers in lost for entrant in losers}
    groups = [Group(tuple(seed for seed in seeds if seed not in out), "bracket")]
    for losers in reversed(lost):
        groups += _third(third, losers, find) or [Group(tuple(losers), "bracket")]
    if lost[-1]:
        groups[0] = Group(groups[0].entrants, "final")
    return tuple(group for group in groups if group.entrants)


def _third(third: MatchPlan | None, losers: Sequence[int], find: Find) -> list[Group]:
    """The losers of the semi-finals in the order of their match for the third place, if it is decided."""
    verdict = find(third) if third and third.first in losers else None
    if verdict is None or verdict.winner is None:
        return []
    fourth = tuple(loser for loser in losers if loser != verdict.winner)
    return [Group((verdict.winner,), "third place"), Group(fourth, "bracket")]
