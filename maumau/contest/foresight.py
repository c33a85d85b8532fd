"""What is still to be played of a tournament, later rounds included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from maumau.contest.entrant import Entrant
from maumau.contest.format import advance
from maumau.contest.match import MatchPlan, Verdict, walkover
from maumau.contest.spec import Spec


def foresee_matches(
    spec: Spec, entrants: Sequence[Entrant], results: Iterable[Verdict]
) -> tuple[MatchPlan, ...]:
    """The matches that these results leave to be played, as if the better seed won each of them.

    How many there are depends on nobody's winning; who meets whom in those not yet known does.
    """
    found: list[MatchPlan] = []
    known = list(results)
    while not (plan := advance(spec, entrants, known)).done:
        found += plan.matches
        known += _guess_results(spec, plan.matches)
    return tuple(found)


def _guess_results(spec: Spec, plans: Sequence[MatchPlan]) -> list[Verdict]:
    """Only one of them is worked out: they differ in who meets whom."""
    like = walkover(spec, plans[0], plans[0].better_seed)
    return [
        msgspec.structs.replace(
            like, label=one.label, first=one.first, second=one.second, winner=one.better_seed
        )
        for one in plans
    ]
