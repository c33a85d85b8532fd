"""The schedule of a tournament: a format is a function from entrants and results to the matches to play now.

Nothing is remembered between calls: `advance` may be called at any time with whatever results there are, and
says what is to be played, or that it is over. Labels are stage.round.number, each from 1.

An entrant that was withdrawn during play loses every match that is not yet decided: by a walkover, in which
no set counts, whatever was played of it. If both were withdrawn at once the better seed wins. Matches decided
before stay as they are. In a bracket the walkovers place it; in a final table of round robin who was
withdrawn stands below all who stayed. Seeds of a later stage look at the play alone.

An entrant that was disqualified loses every match, also those decided before: nothing that it played
counts, for nobody. If both were disqualified the better seed wins. It stands last in the table of every
stage, and is the last seed of the next one. What hung on its matches is played again where others meet.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import msgspec

from maumau.contest.bracket import single_elimination
from maumau.contest.draw import Draw, Group
from maumau.contest.entrant import Entrant, check_entrants
from maumau.contest.match import MatchPlan, Verdict, walkover
from maumau.contest.ranking import Row, rank
from maumau.contest.revised import revise
from maumau.contest.round_robin import round_robin
from maumau.contest.spec import Spec

FORMATS = {"round_robin": round_robin, "single_elimination": single_elimination}


class Plan(msgspec.Struct, frozen=True, dict=True):
    """What `advance` says.

    matches: to play now, in the order of their labels. walkovers: verdicts of matches that a withdrawal or
    a disqualification has decided and that no result says yet. draws: the stages begun so far, each with its
    rounds and groups. results: the verdicts that count, by label in the order of the matches, walkovers too.
    done: everything is decided. earlier: the tables after the stages before the last one begun.
    """

    entrants: tuple[Entrant, ...]
    matches: tuple[MatchPlan, ...]
    walkovers: tuple[Verdict, ...]
    draws: tuple[Draw, ...]
    results: Mapping[str, Verdict]
    done: bool
    earlier: tuple[tuple[Row, ...], ...]

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The results that count, in the order of their matches."""
        return tuple(self.results.values())

    @cached_property
    def known(self) -> Mapping[str, MatchPlan]:
        """The matches of all stages begun, by label."""
        return {plan.label: plan for draw in self.draws for plan in draw.matches}

    @cached_property
    def table(self) -> tuple[Row, ...]:
        """The final table if done, else the table of the stage in play as it stands."""
        return rank(self.entrants, self.verdicts, _final_groups(self.draws[-1], self.entrants))

    @property
    def tables(self) -> tuple[tuple[Row, ...], ...]:
        """For each stage begun the table after it, the last one as it stands."""
        return (*self.earlier, self.table)


def advance(spec: Spec, entrants: Sequence[Entrant], results: Iterable[Verdict]) -> Plan:
    """What is to be played now, given these results.

    A result counts for the match of its label only while that match still has the same two entrants; so what
    hung on a match that was taken back counts for nothing and is played again. Undecided verdicts are
    welcome: their sets count in the table as it stands.
    """
    check_entrants(entrants)
    book = _Book(spec, entrants, results)
    draws: list[Draw] = []
    earlier: list[tuple[Row, ...]] = []
    for number, stage in enumerate(spec.stages, start=1):
        if draws:
            groups = _place_disqualified(draws[-1].groups, entrants)
            earlier.append(rank(entrants, book.verdicts, groups))
        by_table = stage.seeds == "previous"
        seeds = [row.entrant for row in earlier[-1]] if by_table else [one.number for one in entrants]
        draws.append(FORMATS[stage.format](stage, number, seeds, book.find))
        if not draws[-1].done:
            break
    return Plan(
        entrants=tuple(entrants),
        matches=tuple(plan for plan in draws[-1].matches if book.find(plan) is None),
        walkovers=tuple(book.walkovers),
        draws=tuple(draws),
        results=book.used,
        done=len(draws) == len(spec.stages) and draws[-1].done,
        earlier=tuple(earlier),
    )


def follow(plan: Plan, changed: Mapping[str, Verdict]) -> Plan | None:
    """What `advance` says after these results have changed, without looking at any other.

    None if it depends on all of them: if matches follow from them or a stage is over, if a result that
    counted as decided changes, if somebody was withdrawn or disqualified.
    """
    changed = {label: verdict for label, verdict in changed.items() if plan.results.get(label) != verdict}
    decided = {label for label, verdict in changed.items() if verdict.decided}
    known = [(plan.results.get(label), verdict) for label, verdict in changed.items()]
    alike = all(old and not old.decided and _pair(old) == _pair(new) for old, new in known)
    if plan.walkovers or not alike or (decided and not plan.draws[-1].fixed):
        return None
    matches = _leave_out(plan.matches, [plan.known[label] for label in decided]) if decided else plan.matches
    if not matches:
        return None
    after = msgspec.structs.replace(plan, matches=matches, results=revise(plan.results, changed))
    after.__dict__["known"] = plan.known
    return after


def _leave_out(plans: tuple[MatchPlan, ...], gone: Iterable[MatchPlan]) -> tuple[MatchPlan, ...]:
    """The plans without those that are gone; they are in the order of their places."""
    kept = list(plans)
    for one in gone:
        del kept[bisect_left(kept, one.place, key=lambda plan: plan.place)]
    return tuple(kept)


def _pair(verdict: Verdict) -> tuple[int, int]:
    return verdict.first, verdict.second


def _final_groups(draw: Draw, entrants: Sequence[Entrant]) -> tuple[Group, ...]:
    """Where the format leaves all in one group, those that were withdrawn come last."""
    if len(draw.groups) > 1:
        return _place_disqualified(draw.groups, entrants)
    gone = tuple(entrant.number for entrant in entrants if entrant.withdrawn)
    stayed = tuple(number for number in draw.seeds if number not in gone)
    groups = tuple(group for group in (Group(stayed, "withdrawn"), Group(gone)) if group.entrants)
    return _place_disqualified(groups, entrants)


def _place_disqualified(groups: tuple[Group, ...], entrants: Sequence[Entrant]) -> tuple[Group, ...]:
    """They come last, whatever the format says of them."""
    out = {entrant.number for entrant in entrants if entrant.disqualified}
    if not out:
        return groups
    kept = [Group(tuple(one for one in group.entrants if one not in out), group.rule) for group in groups]
    kept = [group for group in kept if group.entrants]
    kept[-1:] = [Group(group.entrants, "disqualified") for group in kept[-1:]]
    return (*kept, Group(tuple(one for group in groups for one in group.entrants if one in out)))


def find_walkover(
    spec: Spec, entrants: Sequence[Entrant], plan: MatchPlan, winner: int | None = None
) -> Verdict | None:
    """The verdict that follows from a withdrawal or a disqualification alone, if it does.

    winner: who is said to have won. Of two that were withdrawn either may have: the first to go loses, and
    the match stays decided when the other goes, too.
    """
    book = _Book(spec, entrants, ())
    found, pair = book.walkover(plan), {plan.first, plan.second}
    if found and found.rule == "withdrawn" and pair <= book.gone and winner in pair:
        return walkover(spec, plan, winner)
    return found


class _Book:
    """The results that count: those whose match is in the schedule, and the walkovers that follow."""

    def __init__(self, spec: Spec, entrants: Sequence[Entrant], results: Iterable[Verdict]) -> None:
        self.spec = spec
        self.out = {entrant.number for entrant in entrants if entrant.disqualified}
        self.gone = {entrant.number for entrant in entrants if entrant.withdrawn} | self.out
        self.given = {verdict.label: verdict for verdict in results}
        self.used: dict[str, Verdict] = {}
        self.walkovers: list[Verdict] = []

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(self.used.values())

    def find(self, plan: MatchPlan) -> Verdict | None:
        """The verdict that decided this match, None while it is open."""
        if plan.label not in self.used:
            self._enter(plan)
        verdict = self.used.get(plan.label)
        return verdict if verdict and verdict.decided else None

    def _enter(self, plan: MatchPlan) -> None:
        given = self.given.get(plan.label)
        fits = given and (given.first, given.second) == (plan.first, plan.second)
        if given and fits:
            self.used[plan.label] = given
        verdict = self.walkover(plan)
        if verdict and not (given and fits and given.decided and _stands(given, verdict)):
            self.used[plan.label] = verdict
            self.walkovers.append(verdict)

    def walkover(self, plan: MatchPlan) -> Verdict | None:
        """The verdict of a match of somebody who was withdrawn or disqualified."""
        pair = {plan.first, plan.second}
        if pair & self.out:
            return walkover(self.spec, plan, _stays(plan, self.out), "disqualified")
        return walkover(self.spec, plan, _stays(plan, self.gone)) if pair & self.gone else None


def _stands(given: Verdict, verdict: Verdict) -> bool:
    """A match decided before a withdrawal stays as it is; one decided before a disqualification does not."""
    return verdict.rule == "withdrawn" or (given.rule, given.winner) == (verdict.rule, verdict.winner)


def _stays(plan: MatchPlan, gone: set[int]) -> int:
    if {plan.first, plan.second} <= gone:
        return plan.better_seed
    return plan.second if plan.first in gone else plan.first
