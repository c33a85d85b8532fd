"""Double elimination: out after two losses. Losers of the winners' bracket go on in the losers' bracket.

The winners of both brackets meet in the grand final. If the winner of the losers' bracket wins it, both have
lost once, and it is played again (`reset`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from maumau.contest.format.double_bracket import BracketRound, Source, build_bracket
from maumau.contest.format.draw import Draw, Find, Group, Round
from maumau.contest.format.format import Format, refuse_third_place
from maumau.contest.format.match import MatchPlan
from maumau.contest.format.stage import Stage

AGAIN: Final = "grand final, again"


class DoubleElimination(Stage, frozen=True):
    """A stage in double elimination."""

    reset: bool = True
    """Whether the grand final is played again if the winner of the losers' bracket wins it, so that nobody is
    out after one loss."""


def schedule(stage: DoubleElimination, number: int, seeds: Sequence[int], find: Find) -> Draw:
    """Return the rounds as far as the results determine them."""
    course = _Course(number, seeds, find)
    *before, last = build_bracket(len(seeds))
    for one in before:
        losers = course.play_round(one)
        if one.side == "losers":
            course.lost.append(losers)
    beaten = course.play_round(last)
    final = course.rounds[-1].matches
    if beaten and stage.reset and beaten == [final[0].first]:
        again = last._replace(round=last.round + 1, name=AGAIN)
        beaten = course.play_round(again)
    course.lost.append(beaten)
    return Draw(tuple(seeds), tuple(course.rounds), course.list_groups(), bool(beaten))


class _Course:
    """The rounds played so far. lost: the entrants lost for good, by round."""

    def __init__(self, stage: int, seeds: Sequence[int], find: Find) -> None:
        self.stage, self.seeds, self.find = stage, seeds, find
        self.rank = {entrant: place for place, entrant in enumerate(seeds)}
        self.known = {Source("seed", 0, place): one for place, one in enumerate(seeds, start=1)}
        self.rounds: list[Round] = []
        self.lost: list[list[int]] = []

    def play_round(self, one: BracketRound) -> list[int]:
        """Add a round as far as it is known; return who has lost in it."""
        losers, plans, byes = [], [], []
        for line in one.lines:
            sides = [self.known.get(source) for source in line.sources]
            if len(sides) == 1 and sides[0]:
                byes.append(sides[0])
            if len(sides) < 2 or not sides[0] or not sides[1]:
                continue
            plans.append(self._plan_match(one.round, line.number, sides[0], sides[1]))
            if loser := self._enter_match(plans[-1]):
                losers.append(loser)
        self.rounds.append(Round(one.round, one.name, tuple(plans), tuple(byes)))
        return losers

    def _enter_match(self, plan: MatchPlan) -> int | None:
        """Note winner and loser of a match; return the loser, None while it is open."""
        verdict = self.find(plan)
        if verdict is None:
            return None
        loser = plan.second if verdict.winner == plan.first else plan.first
        winner = plan.first if loser == plan.second else plan.second
        self.known[Source("winner", plan.round, plan.number)] = winner
        self.known[Source("loser", plan.round, plan.number)] = loser
        return loser

    def _plan_match(self, turn: int, number: int, first: int, second: int) -> MatchPlan:
        return MatchPlan(
            label=f"{self.stage}.{turn}.{number}",
            stage=self.stage,
            round=turn,
            number=number,
            first=first,
            second=second,
            bracket=True,
            better_seed=min(first, second, key=self.rank.__getitem__),
        )

    def list_groups(self) -> tuple[Group, ...]:
        """Return the groups: entrants still in, then those lost for good, the last round first."""
        out = {entrant for losers in self.lost for entrant in losers}
        still = tuple(one for one in self.seeds if one not in out)
        rule = "final" if self.lost[-1] else "bracket"
        groups = [Group(still, rule), *(Group(tuple(losers), "bracket") for losers in reversed(self.lost))]
        return tuple(group for group in groups if group.entrants)


DOUBLE_ELIMINATION: Final = Format(
    name="double_elimination",
    label="double knock-out",
    title="two brackets: whoever loses goes on in the losers' bracket, and is out after a second loss",
    schedule=schedule,
    stage=DoubleElimination,
    has_bracket=True,
    check=refuse_third_place,
)
