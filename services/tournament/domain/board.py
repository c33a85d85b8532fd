"""A tournament as it stands: its rows, the verdicts that follow from them, and the steps due next. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec

from maumau.contest import judge as contest_match
from maumau.contest.entrant import Entrant
from maumau.contest.export.carryover import Carryover, find_carryover
from maumau.contest.format import FORMATS
from maumau.contest.format.draw import Round
from maumau.contest.format.match import MatchPlan, Verdict
from maumau.contest.format.tables import list_table_stages
from maumau.contest.schedule import advance as contest_format
from maumau.contest.schedule.ranking import Row
from maumau.contest.schedule.revised import revise_mapping
from maumau.contest.seed import VERSION, draw_lot
from maumau.contest.spec.spec import Spec, parse_spec
from maumau.errors import MaumauError, UnknownStage
from services.tournament.domain.match_row import MatchRow, PlayedMatch, match_plan, read_verdict
from services.tournament.domain.steps import Steps
from services.tournament.models import Entry, Protest, SpecChange, Tournament

spec_of = lru_cache(maxsize=1024)(parse_spec)  # as many as the longest page of a list


class Known(NamedTuple):
    """Knowledge of an earlier board that the next one can take over.

    matches, verdicts: those it has judged. changed: labels of the matches that differ since; None:
    unknown. plan: what followed from the verdicts. ahead: blocks in advance that its steps were for.
    due: labels of matches that may need steps again; None: all of them.
    """

    matches: Mapping[str, PlayedMatch]
    verdicts: Mapping[str, Verdict]
    changed: frozenset[str] | None = None
    plan: contest_format.Plan | None = None
    decided: int = 0
    ahead: int = 0
    due: frozenset[str] | None = None


class Notes(NamedTuple):
    """Changes of the spec and protests, oldest first."""

    spec_changes: Sequence[SpecChange] = ()
    protests: Sequence[Protest] = ()


NO_NOTES = Notes()


class ContestBoard:
    """A tournament at one moment. `matches` are the live ones: the last take of each, unless withdrawn.

    `known`: what an earlier board knows, which is taken over where nothing has changed: what a result costs
    does not depend on how many matches there are. `changes`: of the contest when it was read. `chain`: see
    chain_of. `version`: of the root.
    """

    def __init__(
        self,
        tournament: Tournament,
        entries: Sequence[Entry],
        matches: Mapping[str, PlayedMatch],
        known: Known | None = None,
        changes: int = 0,
        chain: str = "",
        version: int = VERSION,
        notes: Notes = NO_NOTES,
    ) -> None:
        self.notes = notes
        self.tournament, self.entries, self.chain, self.version = tournament, entries, chain, version
        self.matches, self.changes = matches, changes
        self._known = known or Known({}, {})
        self._looked: tuple[int, frozenset[str] | None] = (0, None)

    def keep_known(self, changed: frozenset[str] | None) -> Known:
        """Return the knowledge that a later board can take over. changed: the labels that differ there."""
        if "verdicts" not in self.__dict__:  # not computed here: pass on what the earlier board knew
            both = None if changed is None or self._known.changed is None else changed | self._known.changed
            return self._known._replace(changed=both)
        plan = self.__dict__.get("plan") or self._followed
        return Known(self.matches, self.verdicts, changed, plan, self.decided, *self._expected)

    @cached_property
    def spec(self) -> Spec:
        return spec_of(self.tournament.spec)

    @cached_property
    def entrants(self) -> list[Entrant]:
        return list_entrants(self.spec, self.entries, self.tournament.secret, self.tournament.root)

    @cached_property
    def verdicts(self) -> Mapping[str, Verdict]:
        """The verdict on each match from its own sets; open ones without the interval (see `show_match`)."""
        known = self._known
        if known.changed is not None:
            fresh = {label: self._find_verdict(self.matches[label]) for label in known.changed}
            return revise_mapping(known.verdicts, fresh)
        return {
            label: known.verdicts[label] if known.matches.get(label) is played else self._find_verdict(played)
            for label, played in self.matches.items()
        }

    @cached_property
    def decided(self) -> int:
        """The number of matches that are decided."""
        known = self._known
        if known.changed is None:
            return sum(_is_decided(played) for played in self.matches.values())
        news = (_is_decided(self.matches[one]) - _is_decided(known.matches[one]) for one in known.changed)
        return known.decided + sum(news)

    def show_match(self, label: str) -> Verdict:
        """Return the verdict on a match, with the interval."""
        verdict = self.verdicts[label]
        return verdict if verdict.decided else contest_match.with_interval(self.spec, verdict)

    @property
    def words(self) -> str:
        """The reason why it waits, "" if it does not."""
        return "; ".join(played.words for played in self.matches.values() if played.words)

    @property
    def table(self) -> Sequence[Row]:
        """The current standings; empty before two have entered."""
        return self.plan.table if len(self.entries) > 1 else ()

    def table_after(self, stage: int) -> Sequence[Row]:
        """Return the table after a stage, as it stands if it is in play; empty before it begins.

        stage: from 1; 0: the last one begun.
        """
        if not stage:
            return self.table
        self._check_stage(stage)
        tables = self.plan.tables if self.tournament.root else ()
        return tables[stage - 1] if stage <= len(tables) else ()

    @cached_property
    def carryover(self) -> Sequence[Carryover]:
        """Tests for better play in the seating played second; empty before the start."""
        row = self.tournament
        if not row.root:
            return ()
        return find_carryover(self.spec, row.secret, row.root, self.entrants, self.plan.verdicts)

    def list_rounds(self, stage: int) -> Sequence[Round]:
        """Return the rounds of a stage that are known; stage 0 is the last one with a bracket."""
        formats = [one.format for one in self.spec.stages]
        brackets = [n for n, one in enumerate(formats, start=1) if FORMATS[one].has_bracket]
        number = stage or (brackets[-1] if brackets else 0)
        self._check_stage(number, f"stage {stage}" if stage else "bracket")
        draws = self.plan.draws if self.tournament.root else ()
        return draws[number - 1].rounds if number <= len(draws) else ()

    def _check_stage(self, number: int, what: str = "") -> None:
        """Raise UnknownStage if there is no stage of this number."""
        stages = self.spec.stages
        if not 1 <= number <= len(stages):
            known = ", ".join(f"{n} ({one.format})" for n, one in enumerate(stages, start=1))
            thing = what or f"stage {number}"
            words = f"{self.tournament.name} has no {thing}; its stages are {known}."
            raise UnknownStage(words, thing=thing)

    def _find_verdict(self, played: PlayedMatch) -> Verdict:
        if played.row.verdict:
            return read_verdict(played.row.verdict)
        row = played.row
        before = self._find_earlier(row)
        return contest_match.judge_blocks(self.spec, match_plan(row), played.prefix, row.seed_take, before)

    def _find_earlier(self, row: MatchRow) -> Verdict | None:
        """Return an earlier board's verdict on the first blocks of this take, if it is open."""
        known, verdict = self._known.matches.get(row.label), self._known.verdicts.get(row.label)
        is_same = known is not None and known.row.id == row.id
        return verdict if is_same and verdict and not verdict.decided else None

    @cached_property
    def plan(self) -> contest_format.Plan:
        return self._followed or contest_format.advance_schedule(
            self.spec, self.entrants, self._list_standing(), self.version
        )

    def _list_standing(self) -> list[Verdict]:
        """Return the verdicts without those of tables that somebody left before their decision was linked.

        `verify` sees the order of the links alone; such a table is played anew by those who stay.
        """
        gone = {one.number for one in self.entrants if one.withdrawn or one.disqualified}
        tables = list_table_stages(self.spec.stages) if gone else set()
        return [
            verdict
            for label, verdict in self.verdicts.items()
            if _is_decided(self.matches[label])
            or self.matches[label].row.stage not in tables
            or gone.isdisjoint(verdict.players)
        ]

    @cached_property
    def _followed(self) -> contest_format.Plan | None:
        """The earlier plan updated with the changes since, or None if that is not enough."""
        plan, changed = self._known.plan, self._known.changed
        if plan is None or changed is None or list(plan.entrants) != self.entrants:
            return None
        return contest_format.follow_changes(plan, {label: self.verdicts[label] for label in changed})

    def plan_steps(self, ahead: int) -> Steps:
        """Return the steps that are due; `ahead` is the number of blocks of a match that may be under way."""
        plans, matches = self.plan.known, self.matches
        looked, due = self._expected
        if due is not None and looked == ahead:
            found = sorted((plans[label] for label in due if label in plans), key=lambda plan: plan.place)
            plans = {plan.label: plan for plan in found}
            matches = {label: matches[label] for label in due if label in matches}
        steps, labels = self._plan_steps(plans, matches, ahead)
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

    def _plan_steps(
        self, plans: Mapping[str, MatchPlan], matches: Mapping[str, PlayedMatch], ahead: int
    ) -> tuple[Steps, frozenset[str]]:
        """Return the steps that are due for these matches, and the labels of the matches they concern."""
        walkovers = {verdict.label: verdict for verdict in self.plan.walkovers}
        # a decided match that is also a walkover was won or lost by a bot that has been disqualified
        overruled = {label for label in walkovers if label in matches and _is_decided(matches[label])}
        stands = {label for label, plan in plans.items() if self._is_same(label, plan)} - overruled
        open_ = [plan for plan in plans.values() if not self._has_ended(plan.label)]
        gone = [plan for plan in plans.values() if plan.label in walkovers and plan.label not in stands]
        lost = {label: played.row.id for label, played in matches.items() if label not in stands}
        news = self._list_news(stands, walkovers)
        begun = (*gone, *(plan for plan in open_ if plan.label not in stands))
        steps = Steps(
            taken_back=list(lost.values()),
            decided=[(self.matches[v.label].row.id, v) for v in news],
            begun=[(plan, walkovers.get(plan.label)) for plan in begun],
            blocks=self._list_blocks(open_, stands, ahead),
            finished=self.plan.done,
        )
        labels = (v.label for v in news), (plan.label for plan in begun), steps.blocks
        return steps, frozenset(lost).union(*labels)

    def size_block(self, label: str) -> int:
        """Return the number of deal sets of a block of this match."""
        return self.spec.choose_match(int(label.partition(".")[0])).block

    def _has_ended(self, label: str) -> bool:
        verdict = self.plan.results.get(label)
        return bool(verdict and verdict.decided)

    def _is_same(self, label: str, plan: MatchPlan) -> bool:
        return label in self.matches and match_plan(self.matches[label].row) == plan

    def _list_news(self, stands: set[str], walkovers: dict[str, Verdict]) -> list[Verdict]:
        """Return the verdicts of matches that stand and are not yet marked as decided."""
        last = [walkovers.get(label, self.verdicts[label]) for label in sorted(stands)]
        return [v for v in last if v.decided and self.matches[v.label].row.state != "decided"]

    def _list_blocks(self, plans: Iterable[MatchPlan], stands: set[str], ahead: int) -> dict[str, range]:
        """Return the blocks to queue: up to `ahead` beyond the finished prefix, at most those `wanted`."""
        wanted: dict[str, range] = {}
        for plan in plans:
            played = self.matches[plan.label] if plan.label in stands else None
            if played and (played.paused or played.row.state != "playing"):
                continue
            done = len(played.prefix) if played else 0
            match = self.spec.choose_match(plan.stage)
            most = self.verdicts[plan.label].wanted if played else match.cap // match.block
            if blocks := range(played.blocks if played else 0, min(most, done + ahead)):
                wanted[plan.label] = blocks
        return wanted


def entrant_of(entry: Entry) -> Entrant:
    return Entrant(
        entry.number,
        entry.bot_name,
        entry.sha256,
        entry.withdrawn,
        entry.commitment,
        entry.nonce,
        entry.disqualified,
    )


def is_guest(spec: str, bot_name: str) -> bool:
    """Return True if a bot plays as a guest; False if this release cannot read the spec."""
    try:
        return bot_name in spec_of(spec).entries.guests
    except MaumauError:
        return False


def list_entrants(spec: Spec, entries: Sequence[Entry], secret: str, root: str) -> list[Entrant]:
    """Return the entrants, with what the spec asks for: accounts, guests, and lots once there is a root."""
    is_apart = any(stage.apart for stage in spec.stages)
    is_drawn = bool(root) and any(stage.seeds == "draw" for stage in spec.stages)
    return [
        msgspec.structs.replace(
            entrant_of(entry),
            account=entry.account_name if is_apart else "",
            lot=draw_lot(secret, root, entry.number) if is_drawn else "",
            guest=entry.bot_name in spec.entries.guests,
        )
        for entry in entries
    ]


def _is_decided(played: PlayedMatch) -> bool:
    return played.row.state == "decided"
