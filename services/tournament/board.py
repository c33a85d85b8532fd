"""A tournament as it stands: its rows, what they come to, and what has to be done next. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from maumau.contest import format as contest_format
from maumau.contest import match as contest_match
from maumau.contest.carryover import Carryover, find_carryover
from maumau.contest.draw import Round
from maumau.contest.entrant import Entrant
from maumau.contest.match import MatchPlan, Verdict
from maumau.contest.ranking import Row
from maumau.contest.revised import revise
from maumau.contest.spec import Spec, parse_spec
from maumau.errors import UnknownStage
from services.tournament.match_row import MatchRow, Played, match_plan, read_verdict
from services.tournament.models import Entry, Tournament
from services.tournament.steps import Steps

spec_of = lru_cache(maxsize=1024)(parse_spec)  # as many as a page of the longest list has


class Known(NamedTuple):
    """What an earlier board knows of the next one.

    matches, verdicts: those it has judged. changed: labels of the matches that are different since; None:
    nobody has looked. plan: what followed from them. ahead: how many blocks in advance its steps were for.
    due: labels that may need something again; None: all may.
    """

    matches: Mapping[str, Played]
    verdicts: Mapping[str, Verdict]
    changed: frozenset[str] | None = None
    plan: contest_format.Plan | None = None
    decided: int = 0
    ahead: int = 0
    due: frozenset[str] | None = None


class Board:
    """One tournament at one moment. `matches` are the live ones: the last take of each, if it stands.

    `known`: what an earlier board knows, which is taken over where nothing has changed: what a result costs
    does not depend on how many matches there are. `changes`: of the contest when it was read. `chain`: see
    chain_of.
    """

    def __init__(
        self,
        tournament: Tournament,
        entries: Sequence[Entry],
        matches: Mapping[str, Played],
        known: Known | None = None,
        changes: int = 0,
        chain: str = "",
    ) -> None:
        self.tournament, self.entries, self.chain = tournament, entries, chain
        self.matches, self.changes = matches, changes
        self._known = known or Known({}, {})
        self._looked: tuple[int, frozenset[str] | None] = (0, None)

    def know(self, changed: frozenset[str] | None) -> Known:
        """What a later board can take over from this one. changed: the labels that are different there."""
        if "verdicts" not in self.__dict__:  # nobody has asked: it is what an earlier one knows
            both = None if changed is None or self._known.changed is None else changed | self._known.changed
            return self._known._replace(changed=both)
        plan = self.__dict__.get("plan") or self._followed
        return Known(self.matches, self.verdicts, changed, plan, self.decided, *self._expected)

    @cached_property
    def spec(self) -> Spec:
        return spec_of(self.tournament.spec)

    @cached_property
    def entrants(self) -> list[Entrant]:
        return [entrant_of(entry) for entry in self.entries]

    @cached_property
    def verdicts(self) -> Mapping[str, Verdict]:
        """How each match stands by its own sets; of open ones without the interval (`shown`)."""
        known = self._known
        if known.changed is not None:
            fresh = {label: self._verdict(self.matches[label]) for label in known.changed}
            return revise(known.verdicts, fresh)
        return {
            label: known.verdicts[label] if known.matches.get(label) is played else self._verdict(played)
            for label, played in self.matches.items()
        }

    @cached_property
    def decided(self) -> int:
        """How many matches are decided."""
        known = self._known
        if known.changed is None:
            return sum(_is_decided(played) for played in self.matches.values())
        news = (_is_decided(self.matches[one]) - _is_decided(known.matches[one]) for one in known.changed)
        return known.decided + sum(news)

    def shown(self, label: str) -> Verdict:
        """How a match stands, with the interval."""
        verdict = self.verdicts[label]
        return verdict if verdict.decided else contest_match.with_interval(self.spec, verdict)

    @property
    def words(self) -> str:
        """Why it waits, if it does."""
        return "; ".join(played.words for played in self.matches.values() if played.words)

    @property
    def table(self) -> Sequence[Row]:
        """The table as it stands; empty before two have entered."""
        return self.plan.table if len(self.entries) > 1 else ()

    @cached_property
    def carryover(self) -> Sequence[Carryover]:
        """Whether somebody plays better in the seating played second; empty before the start."""
        row = self.tournament
        if not row.root:
            return ()
        return find_carryover(self.spec, row.secret, row.root, self.entrants, self.plan.verdicts)

    def rounds(self, stage: int) -> Sequence[Round]:
        """The rounds of a stage as far as they are known; stage 0 is the last that has a bracket."""
        formats = [one.format for one in self.spec.stages]
        brackets = [n for n, one in enumerate(formats, start=1) if one == "single_elimination"]
        number = stage or (brackets[-1] if brackets else 0)
        if not 1 <= number <= len(formats):
            known = ", ".join(f"{n} ({one})" for n, one in enumerate(formats, start=1))
            what = f"stage {stage}" if stage else "bracket"
            words = f"{self.tournament.name} has no {what}; its stages are {known}."
            raise UnknownStage(words, thing=what)
        draws = self.plan.draws if self.tournament.root else ()
        return draws[number - 1].rounds if number <= len(draws) else ()

    def _verdict(self, played: Played) -> Verdict:
        if played.row.verdict:
            return read_verdict(played.row.verdict)
        row = played.row
        before = self._before(row)
        return contest_match.judge_blocks(self.spec, match_plan(row), played.prefix, row.seed_take, before)

    def _before(self, row: MatchRow) -> Verdict | None:
        """The verdict of an earlier board on the first blocks of this take, if it is open."""
        known, verdict = self._known.matches.get(row.label), self._known.verdicts.get(row.label)
        is_same = known is not None and known.row.id == row.id
        return verdict if is_same and verdict and not verdict.decided else None

    @cached_property
    def plan(self) -> contest_format.Plan:
        return self._followed or contest_format.advance(self.spec, self.entrants, self.verdicts.values())

    @cached_property
    def _followed(self) -> contest_format.Plan | None:
        """The earlier plan with what has changed since, if that is enough."""
        plan, changed = self._known.plan, self._known.changed
        if plan is None or changed is None or list(plan.entrants) != self.entrants:
            return None
        return contest_format.follow(plan, {label: self.verdicts[label] for label in changed})

    def steps(self, ahead: int) -> Steps:
        """What has to be done; `ahead` is how many blocks of a match may be under way."""
        plans, matches = self.plan.known, self.matches
        looked, due = self._expected
        if due is not None and looked == ahead:
            found = sorted((plans[label] for label in due if label in plans), key=lambda plan: plan.place)
            plans = {plan.label: plan for plan in found}
            matches = {label: matches[label] for label in due if label in matches}
        steps, labels = self._steps(plans, matches, ahead)
        self._looked = ahead, labels
        return steps

    @property
    def _expected(self) -> tuple[int, frozenset[str] | None]:
        """The matches that may need something with `ahead` blocks queued in advance; None: all of them."""
        known = self._known
        if self._looked[1] is not None:
            return self._looked
        if known.due is None or known.changed is None or self._followed is None:
            return 0, None
        return known.ahead, known.due | known.changed

    def _steps(
        self, plans: Mapping[str, MatchPlan], matches: Mapping[str, Played], ahead: int
    ) -> tuple[Steps, frozenset[str]]:
        """What has to be done for these, and the labels of those for which there is something to do."""
        walkovers = {verdict.label: verdict for verdict in self.plan.walkovers}
        # what is decided, and is a walkover all the same, was won or lost by who is disqualified
        overruled = {label for label in walkovers if label in matches and _is_decided(matches[label])}
        stands = {label for label, plan in plans.items() if self._is(label, plan)} - overruled
        open_ = [plan for plan in plans.values() if not self._has_ended(plan.label)]
        gone = [plan for plan in plans.values() if plan.label in walkovers and plan.label not in stands]
        lost = {label: played.row.id for label, played in matches.items() if label not in stands}
        news = self._news(stands, walkovers)
        begun = (*gone, *(plan for plan in open_ if plan.label not in stands))
        steps = Steps(
            taken_back=list(lost.values()),
            decided=[(self.matches[v.label].row.id, v) for v in news],
            begun=[(plan, walkovers.get(plan.label)) for plan in begun],
            blocks=self._blocks(open_, stands, ahead),
            finished=self.plan.done,
        )
        labels = (v.label for v in news), (plan.label for plan in begun), steps.blocks
        return steps, frozenset(lost).union(*labels)

    def _has_ended(self, label: str) -> bool:
        verdict = self.plan.results.get(label)
        return bool(verdict and verdict.decided)

    def _is(self, label: str, plan: MatchPlan) -> bool:
        return label in self.matches and match_plan(self.matches[label].row) == plan

    def _news(self, stands: set[str], walkovers: dict[str, Verdict]) -> list[Verdict]:
        """Verdicts of matches that stand and are not yet marked as decided."""
        last = [walkovers.get(label, self.verdicts[label]) for label in sorted(stands)]
        return [v for v in last if v.decided and self.matches[v.label].row.state != "decided"]

    def _blocks(self, plans: Iterable[MatchPlan], stands: set[str], ahead: int) -> dict[str, range]:
        """Blocks to queue: up to `ahead` beyond the finished prefix, never beyond the verdict's horizon."""
        wanted: dict[str, range] = {}
        for plan in plans:
            played = self.matches[plan.label] if plan.label in stands else None
            if played and (played.paused or played.row.state != "playing"):
                continue
            done = len(played.prefix) if played else 0
            most = (
                self.verdicts[plan.label].wanted if played else self.spec.match.cap // self.spec.match.block
            )
            if blocks := range(played.blocks if played else 0, min(most, done + ahead)):
                wanted[plan.label] = blocks
        return wanted


def entrant_of(entry: Entry) -> Entrant:
    return Entrant(
        entry.number, entry.bot_name, entry.sha256, entry.withdrawn, entry.commitment, entry.nonce,
        entry.disqualified,
    )  # fmt: skip


def _is_decided(played: Played) -> bool:
    return played.row.state == "decided"
