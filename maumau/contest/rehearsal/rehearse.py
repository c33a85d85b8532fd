"""A rehearsal: the forecast for a contest, beside other formats at equal cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

import msgspec
import numpy as np

from maumau.contest.format import FORMATS
from maumau.contest.format.stage import Stage
from maumau.contest.match_rule import MatchRule
from maumau.contest.mystery import check_open
from maumau.contest.rehearsal.field import Field
from maumau.contest.rehearsal.forecast import Forecast, sum_up
from maumau.contest.rehearsal.other import (
    TOLERANCE,
    check_playable,
    find_equal_match,
    list_others,
    replace_stages,
    say_keys,
)
from maumau.contest.rehearsal.play import RehearsedContest, Report, play_contests
from maumau.contest.rehearsal.set_score import SetScores, Variance, find_variance, model_scores
from maumau.contest.spec.spec import Spec
from maumau.contest.statistics.rating import Floats
from maumau.errors import BadSpec, MaumauError

DEAL_MS: Final = 3.2
"""Reference ms of a core for a deal of house bots: with two workers 598 sets a second at pace 0.53
(docs/reference/benchmarks.md, "a tournament is slower beside a ladder")."""

RACES: Final = 100
"""Races beside other formats: one takes as long as many contests whose pairings follow from no fit."""

PILOT: Final = 100
"""Contests with which the length of matches at equal cost is found."""


class LeftOut(msgspec.Struct, frozen=True):
    """A format that is not beside the contest, and why."""

    format: str
    reason: str


class Rehearsal(msgspec.Struct, frozen=True):
    """The forecast for a contest and those for other formats, with what they rest on.

    variance: of a deal set between equal bots, and where it comes from. others: at equal cost, unless their
    match could not be scaled so far; `is_equal` tells.
    """

    bots: int
    field: str
    runs: int
    seed: int
    variance: float
    variance_source: str
    ms_per_deal: float
    workers: int
    contest: Forecast
    others: tuple[Forecast, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def is_equal(self, other: Forecast) -> bool:
        """Return True if this costs as much as the contest, within TOLERANCE."""
        return abs(other.sets.mean / self.contest.sets.mean - 1) <= TOLERANCE


@dataclass(frozen=True)
class Settings:
    """Settings of a rehearsal beside the spec and the field. variance: None for that of the variant."""

    runs: int = 500
    seed: int = 1
    variance: float | None = None
    ms_per_deal: float = DEAL_MS
    workers: int = 1
    others: bool = True


def rehearse_contest(
    spec: Spec, field: Field, words: str, settings: Settings | None = None, report: Report | None = None
) -> Rehearsal:
    """Play the contest and its alternatives. words: describe the field.

    Raises RulesSealed for sealed rules, BadRequest for an impossible variance, and the spec's own errors for
    a field that cannot play.
    """
    check_open(spec)
    given = settings or Settings()
    own = fit_to_bots(spec, field.bots)
    variance = find_variance(own, given.variance)
    trial = _Rehearsal(field, given, variance, model_scores(own.score, variance.value), report)
    contest = trial.forecast_contest(own)
    others, left_out = trial.compare_specs(own, contest) if given.others else ((), ())
    return Rehearsal(
        bots=field.bots,
        field=words,
        runs=given.runs,
        seed=given.seed,
        variance=variance.value,
        variance_source=variance.source,
        ms_per_deal=given.ms_per_deal,
        workers=given.workers,
        contest=contest,
        others=others,
        left_out=left_out,
    )


def fit_to_bots(spec: Spec, bots: int) -> Spec:
    """Return the spec as this number of bots plays it; raise its errors if they cannot."""
    if bots > spec.entries.most:
        raise BadSpec(
            f"entries.most: {spec.entries.most} bots may enter this contest, but the field has {bots};"
            " rehearse it with fewer, or raise this key.",
            field="entries.most",
        )
    own = replace_stages(spec, [_list_keys(stage) for stage in spec.stages], bots)
    check_playable(own, bots)
    return own


def _list_keys(stage: Stage) -> dict[str, Any]:
    """Return the keys of a stage as a spec has them, without missing ones."""
    return {key: value for key, value in msgspec.to_builtins(stage).items() if value is not None}


@dataclass(frozen=True)
class _Rehearsal:
    """The invented bots and chance of a rehearsal: the same for every format."""

    field: Field
    given: Settings
    variance: Variance
    scores: SetScores
    report: Report | None

    def forecast_contest(self, spec: Spec, most: int | None = None) -> Forecast:
        strengths = self._draw_strengths()[:most]
        played = self._play_contests(spec, strengths, self.report)
        return sum_up(
            tuple(stage.format for stage in spec.stages),
            "; ".join(filter(None, map(say_keys, spec.stages))),
            spec.match,
            strengths,
            played,
            self.given.ms_per_deal,
            self.given.workers,
        )

    def compare_specs(self, own: Spec, contest: Forecast) -> tuple[tuple[Forecast, ...], tuple[LeftOut, ...]]:
        found: list[Forecast] = []
        left_out: list[LeftOut] = []
        for name, other in list_others(own, self.field.bots):
            if isinstance(other, MaumauError):
                left_out.append(LeftOut(name, str(other)))
            else:
                found.append(self._at_equal_cost(other, contest.sets.mean))
        return tuple(found), tuple(left_out)

    def _at_equal_cost(self, spec: Spec, wanted: float) -> Forecast:
        """Return the forecast with matches so long that it costs as much; corrected once by all contests."""
        if spend := FORMATS[spec.stages[0].format].spend:
            keys = {"format": spec.stages[0].format, **spend(wanted)}
            return self.forecast_contest(replace_stages(spec, [keys], self.field.bots), RACES)
        pilots = self._draw_strengths()[:PILOT]
        first = find_equal_match(spec.match, wanted, self._build_measure(spec, pilots))
        found = self.forecast_contest(_with_match(spec, first))
        if abs(found.sets.mean / wanted - 1) <= TOLERANCE:
            return found
        corrected = wanted * self._build_measure(spec, pilots)(first) / found.sets.mean
        second = find_equal_match(spec.match, corrected, self._build_measure(spec, pilots))
        again = self.forecast_contest(_with_match(spec, second))
        return min(found, again, key=lambda one: abs(one.sets.mean - wanted))

    def _build_measure(self, spec: Spec, strengths: Floats) -> Callable[[MatchRule], float]:
        def measure(match: MatchRule) -> float:
            played = self._play_contests(_with_match(spec, match), strengths)
            return sum(one.sets for one in played) / len(played)

        return measure

    def _draw_strengths(self) -> Floats:
        return self.field.draw_strengths(self.given.runs, np.random.default_rng(self.given.seed))

    def _play_contests(
        self, spec: Spec, strengths: Floats, report: Report | None = None
    ) -> list[RehearsedContest]:
        """Play with random numbers of the formats' own, so that no other format changes them."""
        name = crc32(" ".join(stage.format for stage in spec.stages).encode())
        rng = np.random.default_rng([self.given.seed, name])
        return play_contests(spec, self.scores, strengths, rng, report)


def _with_match(spec: Spec, match: MatchRule) -> Spec:
    return msgspec.structs.replace(spec, match=match)
