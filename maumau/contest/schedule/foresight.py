"""Forecast of the matches still to be played in a tournament, later rounds included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from maumau.contest.entrant import Entrant
from maumau.contest.format.match import MatchPlan, Verdict
from maumau.contest.judge import walkover
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.spec.spec import Spec
from maumau.contest.table_judge import judge_table


def foresee_matches(
    spec: Spec, entrants: Sequence[Entrant], results: Iterable[Verdict]
) -> tuple[MatchPlan, ...]:
    """Return the matches that remain after these results, as if the better seed won each of them.

    Apart from the replay of a grand final, their number does not depend on who wins; the pairings of later
    rounds do.
    """
    found: list[MatchPlan] = []
    known = list(results)
    while not (plan := advance_schedule(spec, entrants, known)).done:
        found += plan.matches
        known += _guess_results(spec, plan.matches)
    return tuple(found)


def _guess_results(spec: Spec, plans: Sequence[MatchPlan]) -> list[Verdict]:
    """Return results for these matches, computed once per size, since the rest differs by entrants alone."""
    like: dict[tuple[int, int], Verdict] = {}
    for one in plans:
        if (len(one.players), one.through) not in like:
            like[len(one.players), one.through] = _guess_verdict(spec, one)
    return [
        msgspec.structs.replace(
            like[len(one.players), one.through],
            label=one.label,
            first=one.first,
            second=one.second,
            others=one.others,
            winner=one.better_seed,
        )
        for one in plans
    ]


def _guess_verdict(spec: Spec, plan: MatchPlan) -> Verdict:
    """Return the verdict of a walkover, or of a table at its cap, as if no set had been played."""
    if not plan.others:
        return walkover(spec, plan, plan.better_seed)
    return msgspec.structs.replace(
        judge_table(spec.match, plan, ()), decided=True, rule="cap: not separated", level=()
    )
