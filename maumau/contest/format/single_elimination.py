"""Single elimination: the standard seeded order (1-16, 8-9, …), byes to the top seeds, third place.

With `seats` it is played at tables of more than two (`bracket.tables`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from msgspec import Meta

from maumau.contest.format.bracket.tables import Cut, schedule_tables
from maumau.contest.format.draw import Draw, Find, Group, Round
from maumau.contest.format.format import Format
from maumau.contest.format.match import MatchPlan
from maumau.contest.format.stage import PAIR, Stage
from maumau.contest.score import MOST_SEATS
from maumau.contest.strict import name_field
from maumau.errors import BadSpec

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


class SingleElimination(Stage, frozen=True):
    """A knock-out, of two at a table or of more."""

    seats: Annotated[int, Meta(ge=3, le=MOST_SEATS)] | None = None
    """The number of bots at a table, from three; without it, two bots meet. If a field does not fill all
    tables, their sizes differ by at most one."""
    through: Annotated[int, Meta(ge=1)] | None = None
    """The number of bots of a table of `seats` that go on, fewer than sit there; without it, half of them. At
    the last table one wins."""

    @property
    def table_seats(self) -> int:
        """The largest number of seats of a table."""
        return self.seats or PAIR

    @property
    def going_on(self) -> int:
        """The number of entrants that advance from a table."""
        return self.through or self.table_seats // 2


def check(stage: SingleElimination, where: str, _most: int) -> None:
    """Refuse `through` that knocks nobody out, and keys that belong to matches of two or of more."""
    if stage.seats is None:
        if stage.through is not None:
            words = "of a table of three to ten some go on; give seats, too, or leave it out."
            raise BadSpec(f"{where}.through: {words}", field=name_field(f"{where}.through"))
        return
    if stage.going_on >= stage.seats:
        raise BadSpec(
            f"{where}.through: of {stage.seats} at a table {stage.going_on} would go on, so nobody would be "
            f"knocked out; at most {stage.seats - 1} can.",
            field=name_field(f"{where}.through"),
        )
    if stage.third_place:
        words = f"the final is a table of up to {stage.seats}, which places its losers; leave it out"
        raise BadSpec(f"{where}.third_place: {words}.", field=name_field(f"{where}.third_place"))


def schedule(stage: Stage, number: int, seeds: Sequence[int], find: Find) -> Draw:
    """Return the rounds as far as the results determine them."""
    if isinstance(stage, SingleElimination) and stage.seats:
        cut = Cut(number, stage.seats, stage.going_on, bool(stage.apart))
        return schedule_tables(cut, seeds, find)
    depth = (len(seeds) - 1).bit_length()
    line: list[Slot] = [seeds[s - 1] if s <= len(seeds) else BYE for s in standard_order(2**depth)]
    lost: list[list[int]] = []
    rounds: list[Round] = []
    for turn in range(1, depth + 1):
        plans = [_plan_match(number, turn, board, pair, seeds) for board, pair in _pair_slots(line)]
        byes = tuple(a for _, (a, b) in _pair_slots(line) if b == BYE and a is not None)
        matches = tuple(plan for plan in plans if plan)
        rounds.append(Round(turn, _name_round(turn, depth), matches, byes))
        line = [
            _find_winner(plan, pair, find) for plan, (_, pair) in zip(plans, _pair_slots(line), strict=True)
        ]
        lost.append(_list_losers(matches, find))
    third = _third_place(number, lost, seeds) if stage.third_place else None
    if third:
        rounds.append(Round(depth, "third place", (third,)))
    done = line[0] is not None and (third is None or find(third) is not None)
    return Draw(tuple(seeds), tuple(rounds), _list_groups(seeds, lost, third, find), done)


def _pair_slots(line: Sequence[Slot]) -> Iterable[tuple[int, tuple[Slot, Slot]]]:
    return enumerate(zip(line[::2], line[1::2], strict=True), start=1)


def _name_round(turn: int, depth: int) -> str:
    return NAMES[depth - turn] if depth - turn < len(NAMES) else f"round {turn}"


def _plan_match(
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


def _find_winner(plan: MatchPlan | None, pair: tuple[Slot, Slot], find: Find) -> Slot:
    if plan is None:
        return pair[0] if pair[1] == BYE else None
    verdict = find(plan)
    return verdict.winner if verdict else None


def _list_losers(matches: Iterable[MatchPlan], find: Find) -> list[int]:
    decided = [(plan, verdict) for plan in matches if (verdict := find(plan))]
    return [plan.second if verdict.winner == plan.first else plan.first for plan, verdict in decided]


def _third_place(number: int, lost: Sequence[list[int]], seeds: Sequence[int]) -> MatchPlan | None:
    """Return the match of the losing semi-finalists, once there are two; three entrants have only one."""
    if len(lost) < 2 or len(lost[-2]) < 2:
        return None
    return _plan_match(number, len(lost), 2, (lost[-2][0], lost[-2][1]), seeds)


def _list_groups(
    seeds: Sequence[int], lost: Sequence[list[int]], third: MatchPlan | None, find: Find
) -> tuple[Group, ...]:
    """Return the groups: entrants still in, then the losers of each round, the last round first."""
    out = {entrant for losers in lost for entrant in losers}
    groups = [Group(tuple(seed for seed in seeds if seed not in out), "bracket")]
    for losers in reversed(lost):
        groups += _rank_third(third, losers, find) or [Group(tuple(losers), "bracket")]
    if lost[-1]:
        groups[0] = Group(groups[0].entrants, "final")
    return tuple(group for group in groups if group.entrants)


def _rank_third(third: MatchPlan | None, losers: Sequence[int], find: Find) -> list[Group]:
    """Return the losing semi-finalists in the order of their match for third place, if it is decided."""
    verdict = find(third) if third and third.first in losers else None
    if verdict is None or verdict.winner is None:
        return []
    fourth = tuple(loser for loser in losers if loser != verdict.winner)
    return [Group((verdict.winner,), "third place"), Group(fourth, "bracket")]


SINGLE_ELIMINATION: Final = Format(
    name="single_elimination",
    label="knock-out",
    title="a bracket: whoever loses a match is out, and the best seeds meet last",
    schedule=schedule,
    stage=SingleElimination,
    seats=range(PAIR, MOST_SEATS + 1),
    check=check,
    has_bracket=True,
)
