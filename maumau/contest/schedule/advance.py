"""The schedule of a tournament: a format is a function from entrants and results to the matches to play now.

There is no state between calls: `advance_schedule` may be called at any time with any results so far, and
returns the matches to be played, or that it is over. Labels are stage.round.number, each from 1.

An entrant that was withdrawn during play loses every match that is not yet decided: by a walkover, in which
no set counts, even if some were played. If both were withdrawn at once the better seed wins. Matches decided
before stay decided. In a bracket the walkovers place it; in the final table of any other format withdrawn
entrants rank below all others. A format that pairs round by round leaves it out of rounds in which no result
names it. Seeds of a later stage depend on the play alone.

An entrant that was disqualified loses every match, also those decided before: none of its sets counts, for
either side. If both were disqualified the better seed wins. It ranks last in the table of every stage, and is
the last seed of the next one, or not taken if that has a cut. Later matches that depend on its matches are
played again if others meet.

At tables there are no walkovers: whoever stays plays, or has a bye (`tables`).

A stage with a cut (`take`) is played by the top of the table after the previous stage. The others keep their
places behind, there and in all later tables; later stages are played without them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import msgspec

from maumau.contest.entrant import Entrant, check_entrants
from maumau.contest.format import FORMATS
from maumau.contest.format.draw import Draw, Group
from maumau.contest.format.match import MatchPlan, Verdict
from maumau.contest.format.tables import list_table_stages
from maumau.contest.judge import walkover
from maumau.contest.schedule.field import list_seeds, place_cut
from maumau.contest.schedule.ranking import Row, rank_entrants
from maumau.contest.schedule.revised import revise_mapping
from maumau.contest.seed import VERSION
from maumau.contest.spec.spec import Spec

LABEL: Final = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})\.[0-9]{1,9}")
"""A match's label; results of an export that was tampered with may have any other text."""


class Plan(msgspec.Struct, frozen=True, dict=True):
    """The result of `advance_schedule`.

    matches: to play now, in the order of their labels. walkovers: verdicts of matches that a withdrawal or
    a disqualification has decided and that no result says yet. draws: the stages begun so far, each with its
    rounds and groups. results: the verdicts that count, by label in the order of the matches, walkovers too.
    done: everything is decided. earlier: the tables after the stages before the last one begun. version: of
    the export, by which ratings are made.
    """

    entrants: tuple[Entrant, ...]
    matches: tuple[MatchPlan, ...]
    walkovers: tuple[Verdict, ...]
    draws: tuple[Draw, ...]
    results: Mapping[str, Verdict]
    done: bool
    earlier: tuple[tuple[Row, ...], ...]
    version: int = VERSION

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
        groups = _final_groups(self.draws[-1], self.entrants, self.earlier[-1] if self.earlier else ())
        return rank_entrants(self.entrants, self.verdicts, groups, self.version)

    @property
    def tables(self) -> tuple[tuple[Row, ...], ...]:
        """Return the table after each stage that has begun; that of the last one is as it stands."""
        return (*self.earlier, self.table)


def advance_schedule(
    spec: Spec,
    entrants: Sequence[Entrant],
    results: Iterable[Verdict],
    version: int = VERSION,
    stated: Sequence[MatchPlan] = (),
) -> Plan:
    """Return the matches to play now, given these results.

    A result counts for the match of its label only while that match still has the same two entrants; so later
    matches that depended on a match taken back do not count and are played again. Undecided verdicts are
    accepted: their sets count in the present table. stated: matches that have a result of which nothing is
    known yet.
    """
    check_entrants(entrants)
    book = Book(spec, entrants, results, stated)
    draws, earlier = _draw_stages(book, entrants, version)
    while book.has_stale:
        book = Book(spec, entrants, book.list_fresh(), stated)
        draws, earlier = _draw_stages(book, entrants, version)
    return Plan(
        entrants=tuple(entrants),
        matches=tuple(plan for plan in draws[-1].matches if book.find_verdict(plan) is None),
        walkovers=tuple(book.walkovers),
        draws=tuple(draws),
        results=book.used,
        done=len(draws) == len(spec.stages) and draws[-1].done,
        earlier=tuple(earlier),
        version=version,
    )


def _draw_stages(
    book: Book, entrants: Sequence[Entrant], version: int
) -> tuple[list[Draw], list[tuple[Row, ...]]]:
    """Return the stages as far as they are known, and the tables before the last of them."""
    draws: list[Draw] = []
    earlier: list[tuple[Row, ...]] = []
    for number, stage in enumerate(book.spec.stages, start=1):
        if draws:
            groups = place_cut(draws[-1], draws[-1].groups, earlier[-1] if earlier else ())
            groups = _place_disqualified(groups, entrants)
            earlier.append(rank_entrants(entrants, book.verdicts, groups, version))
        last, table = (draws[-1], earlier[-1]) if draws else (None, ())
        seeds = list_seeds(stage, number, entrants, last, table)
        draws.append(FORMATS[stage.format].schedule(stage, number, seeds, book))
        for plan in draws[-1].matches if book.gone else ():
            book.find_verdict(plan)  # also those after the first open one, which the format need not ask for
        if not draws[-1].done:
            break
    return draws, earlier


def follow_changes(plan: Plan, changed: Mapping[str, Verdict]) -> Plan | None:
    """Return the plan of `advance_schedule` after these changes alone, without reading the other results.

    None if it depends on all of them: if matches follow from them or a stage is over, if a result that
    counted as decided changes, if an entrant was withdrawn or disqualified.
    """
    changed = {label: verdict for label, verdict in changed.items() if plan.results.get(label) != verdict}
    decided = {label for label, verdict in changed.items() if verdict.decided}
    known = [(plan.results.get(label), verdict) for label, verdict in changed.items()]
    alike = all(old and not old.decided and old.players == new.players for old, new in known)
    if plan.walkovers or not alike or (decided and not plan.draws[-1].fixed):
        return None
    matches = _leave_out(plan.matches, [plan.known[label] for label in decided]) if decided else plan.matches
    if not matches:
        return None
    after = msgspec.structs.replace(plan, matches=matches, results=revise_mapping(plan.results, changed))
    after.__dict__["known"] = plan.known
    return after


def _leave_out(plans: tuple[MatchPlan, ...], gone: Iterable[MatchPlan]) -> tuple[MatchPlan, ...]:
    """Return the plans without those that are gone; they are in the order of their places."""
    kept = list(plans)
    for one in gone:
        del kept[bisect_left(kept, one.place, key=lambda plan: plan.place)]
    return tuple(kept)


def _final_groups(draw: Draw, entrants: Sequence[Entrant], table: Sequence[Row]) -> tuple[Group, ...]:
    """Return the groups of the final table; where the format has one group, withdrawn entrants come last.

    table: after the previous stage, for those who were cut since.
    """
    groups = draw.groups
    if len(groups) == 1 or draw.withdrawn_last:
        gone = {entrant.number for entrant in entrants if entrant.withdrawn} & set(draw.seeds)
        groups = _place_last(groups, gone, "withdrawn")
    return _place_disqualified(place_cut(draw, groups, table), entrants)


def _place_disqualified(groups: tuple[Group, ...], entrants: Sequence[Entrant]) -> tuple[Group, ...]:
    """Return the groups with disqualified entrants last, and guests before them, regardless of the format."""
    groups = _place_last(groups, {entrant.number for entrant in entrants if entrant.guest}, "guest")
    out = {entrant.number for entrant in entrants if entrant.disqualified}
    return _place_last(groups, out, "disqualified")


def _place_last(groups: tuple[Group, ...], out: set[int], rule: str) -> tuple[Group, ...]:
    """Return the groups with these entrants last; rule: the reason why all others rank above them."""
    if not out:
        return groups
    kept = [one for one in (group.remove_gone(out) for group in groups) if one.entrants]
    kept[-1:] = [group.remove_gone((), rule) for group in kept[-1:]]
    return (*kept, Group(tuple(one for group in groups for one in group.entrants if one in out)))


def find_walkover(
    spec: Spec, entrants: Sequence[Entrant], plan: MatchPlan, winner: int | None = None
) -> Verdict | None:
    """Return the verdict that follows from a withdrawal or a disqualification alone, or None.

    winner: as stated. If both were withdrawn either may have won: the first to go loses, and the match stays
    decided when the other goes, too.
    """
    book = Book(spec, entrants, (), ())
    found, pair = book.find_walkover(plan), set(plan.players)
    if found and found.rule == "withdrawn" and pair <= book.gone and winner in pair:
        return walkover(spec, plan, winner)
    return found


class Book:
    """The results that count, and the walkovers that follow: their matches are in the schedule."""

    def __init__(
        self, spec: Spec, entrants: Sequence[Entrant], results: Iterable[Verdict], stated: Sequence[MatchPlan]
    ) -> None:
        self.spec, self.stated = spec, stated
        self.tables = list_table_stages(spec.stages)
        self.out = {entrant.number for entrant in entrants if entrant.disqualified}
        self.gone = {entrant.number for entrant in entrants if entrant.withdrawn} | self.out
        self.given = {verdict.label: verdict for verdict in results}
        self._accounts = {entrant.number: entrant.account for entrant in entrants}
        self.used: dict[str, Verdict] = {}
        self.walkovers: list[Verdict] = []

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(self.used.values())

    def find_verdict(self, plan: MatchPlan) -> Verdict | None:
        """Return the verdict that decided this match, None while it is open."""
        if plan.label not in self.used:
            self._enter_verdict(plan)
        verdict = self.used.get(plan.label)
        return verdict if verdict and verdict.decided else None

    __call__ = find_verdict

    def keeps_played(self, stage: int, turn: int, matches: Sequence[MatchPlan]) -> bool:
        """Return True if all results that were played in a round are of these matches."""
        drawn = {one.label: one.players for one in matches}
        return all(drawn.get(label) == players for label, players in self._played.get((stage, turn), ()))

    @cached_property
    def _played(self) -> dict[tuple[int, int], list[tuple[str, tuple[int, ...]]]]:
        """The labels and players of matches that are stated, or decided by play, by stage and round."""
        found: dict[tuple[int, int], list[tuple[str, tuple[int, ...]]]] = {}
        played = [verdict for verdict in self.given.values() if verdict.decided and verdict.counted]
        stated: list[Verdict | MatchPlan] = [*self.stated, *played]
        for one in stated:
            if place := LABEL.fullmatch(one.label):
                key = int(place[1]), int(place[2])
                found.setdefault(key, []).append((one.label, one.players))
        return found

    def account_of(self, entrant: int) -> str:
        """Return an entrant's account, "" unless the spec asks for accounts."""
        return self._accounts[entrant]

    def has_left(self, entrant: int, stage: int, turn: int) -> bool:
        """Return True if an entrant has gone and no result names it in this round of a stage or later."""
        return entrant in self.gone and self._named.get((entrant, stage), 0) < turn

    @cached_property
    def _named(self) -> dict[tuple[int, int], int]:
        """The last round in which a result names an entrant that has gone, by entrant and stage."""
        found: dict[tuple[int, int], int] = {}
        named: list[Verdict | MatchPlan] = [*self.given.values(), *self.stated] if self.gone else []
        for one in named:
            for entrant in self.gone.intersection(one.players):
                if place := LABEL.fullmatch(one.label):
                    key = entrant, int(place[1])
                    found[key] = max(found.get(key, 0), int(place[2]))
        return found

    @property
    def has_stale(self) -> bool:
        """Return True if a result names an entrant that has gone in a match that is not to be played."""
        return bool(self.gone) and len(self.list_fresh()) < len(self.given)

    def list_fresh(self) -> list[Verdict]:
        """Return the results without those: they would say that it was in a round that is redrawn."""
        return [
            verdict
            for label, verdict in self.given.items()
            if self.gone.isdisjoint(verdict.players)
            or (label in self.used and self.used[label].players == verdict.players)
        ]

    def find_players(self, label: str, table: Sequence[int]) -> tuple[int, ...]:
        """Return the players of a table: all named by its result if that stands, else all that have not left.

        A result stands if it was decided before somebody left; not if it names a disqualified entrant.
        """
        if not self.gone:
            return tuple(table)
        stays = tuple(one for one in table if one not in self.gone)
        if len(stays) == len(table):
            return stays
        named = self._seated.get(label, set())
        stands = named.issuperset(stays) and named.issubset(table) and named.isdisjoint(self.out)
        return tuple(one for one in table if one in named) if named and stands else stays

    @cached_property
    def _seated(self) -> dict[str, set[int]]:
        """The players of the results that are stated, or decided by play, by label."""
        played = [verdict for verdict in self.given.values() if verdict.decided and verdict.counted]
        seated: list[Verdict | MatchPlan] = [*self.stated, *played]
        return {one.label: set(one.players) for one in seated}

    def _enter_verdict(self, plan: MatchPlan) -> None:
        given = self.given.get(plan.label)
        fits = given and given.players == plan.players
        if given and fits:
            self.used[plan.label] = given
        verdict = self.find_walkover(plan)
        if verdict and not (given and fits and given.decided and _is_valid(given, verdict)):
            self.used[plan.label] = verdict
            self.walkovers.append(verdict)

    def find_walkover(self, plan: MatchPlan) -> Verdict | None:
        """Return the verdict of a match whose entrant was withdrawn or disqualified, or None."""
        if not self.gone or plan.stage in self.tables:  # a table is played by those who stay, also one of two
            return None
        pair = set(plan.players)
        if pair & self.out:
            return walkover(self.spec, plan, _find_remaining(plan, self.out), "disqualified")
        return walkover(self.spec, plan, _find_remaining(plan, self.gone)) if pair & self.gone else None


def _is_valid(given: Verdict, verdict: Verdict) -> bool:
    """Return True if a result stands: walkovers keep matches decided before, disqualifications do not."""
    return verdict.rule == "withdrawn" or (given.rule, given.winner) == (verdict.rule, verdict.winner)


def _find_remaining(plan: MatchPlan, gone: set[int]) -> int:
    if {plan.first, plan.second} <= gone:
        return plan.better_seed
    return plan.second if plan.first in gone else plan.first
