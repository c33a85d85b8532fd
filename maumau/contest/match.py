"""A match: deal sets between two entrants until it is decided (docs/verify.md).

Sets are numbered from 0; block k holds the sets k·block to (k + 1)·block - 1. The match is judged after each
block in the order of their numbers, so blocks that were played ahead beyond the stopping point change
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal

import msgspec

from maumau.contest.claim import Claim, claim_of
from maumau.contest.score import UNITS, BlockSums, SetScore, add_up
from maumau.contest.sequential import Sums, bound
from maumau.contest.spec import Spec, exact
from maumau.errors import BadResult

SUDDEN_DEATH_BLOCKS = 10
WIDEST = (0.0, 1.0)

WalkoverRule = Literal["withdrawn", "disqualified"]
Rule = Literal["", "sequential", "cap: not separated", "points", "sudden death", "seed"] | WalkoverRule
_OPEN: Rule = ""


class MatchPlan(msgspec.Struct, frozen=True):
    """Two entrants (by number) that meet. label: stage.round.number, each from 1.

    bracket: somebody has to win. better_seed: the entrant that goes on if nothing else decides.
    """

    label: str
    stage: int
    round: int
    number: int
    first: int
    second: int
    bracket: bool
    better_seed: int

    @property
    def place(self) -> tuple[int, int, int]:
        """Matches are in this order, which is not that of their labels as texts."""
        return self.stage, self.round, self.number


class Verdict(msgspec.Struct, frozen=True):
    """How a match stands, from the first's side.

    winner: an entrant's number, None while open and where nobody won. rule: what decided it, "" while open.
    counted: deal sets that count. total and squares: Σh and Σh² over them, of `unit` a set. points: what the
    variant counted, of the first and of the second. estimate: the first's mean score, 0 to 1, with its 95 %
    interval. llr: rounded to four places. wanted: blocks of this match, from its first, that may be played
    now. gains: of each block that counts, in order, Σg and Σg² of its sets, where g is what the first
    scored in seating 1 less what it scored in seating 0; none in a verdict that an earlier arena stored.
    seed_take: the take whose fresh seeds the sets have, 0 if they have the first ones (`deal_seed`).
    """

    label: str
    first: int
    second: int
    decided: bool
    winner: int | None
    rule: Rule
    counted: int
    unit: int
    total: int
    squares: int
    points: tuple[int, int]
    estimate: float
    interval: tuple[float, float]
    llr: float
    wanted: int
    gains: tuple[tuple[int, int], ...] = ()
    seed_take: int = 0

    @property
    def claim(self) -> Claim:
        """What may be said of the winner, "" if nobody won by a lead."""
        won = None if self.winner is None else self.winner == self.first
        return claim_of(won_by_first=won, rule=self.rule, low=self.interval[0], high=self.interval[1])

    @property
    def sums(self) -> Sums:
        """The sums this verdict rests on."""
        return Sums(self.unit, self.counted, self.total, self.squares)


def judge(spec: Spec, plan: MatchPlan, sets: Sequence[SetScore], seed_take: int = 0) -> Verdict:
    """Judge a match by its finished prefix: set 0, 1, 2 … as far as they follow without a gap.

    Only whole blocks are looked at, one after the other, up to the one that decides. Sets after it may be
    given; they do not count. seed_take: as in `Verdict`.
    """
    _check_sets(spec, sets)
    size = spec.match.block
    whole = (add_up(sets[start : start + size]) for start in range(0, len(sets) - size + 1, size))
    verdict = judge_blocks(spec, plan, whole, seed_take)
    return verdict if verdict.decided else with_interval(spec, verdict)


def judge_blocks(
    spec: Spec, plan: MatchPlan, blocks: Iterable[BlockSums], seed_take: int = 0,
    before: Verdict | None = None,
) -> Verdict:  # fmt: skip
    """The same by whole blocks added up: block 0, 1, 2 … without a gap.

    While nothing is decided the interval is the widest: it costs more than all the rest (`with_interval`).
    before: an open verdict on the first of these blocks, which are not judged again.
    """
    start = before or _open(spec, plan)
    sums, points, gains, rule = start.sums, start.points, list(start.gains), start.rule
    for block in islice(blocks, len(gains), None):
        if rule:
            break
        sums = sums.joined(Sums(sums.unit, block.sets, block.total, block.squares))
        points = points[0] + block.first_points, points[1] + block.second_points
        gains.append((block.gain, block.gain_squares))
        rule = _rule(spec, plan, sums)
    verdict = _verdict(spec, plan, sums, rule)
    return msgspec.structs.replace(verdict, points=points, gains=tuple(gains), seed_take=seed_take)


def with_interval(spec: Spec, verdict: Verdict) -> Verdict:
    """The verdict with the interval that its sums come to."""
    from maumau.contest.interval import interval  # with NumPy, which a service needs with its first result

    return msgspec.structs.replace(verdict, interval=interval(spec.match, verdict.sums))


def walkover(spec: Spec, plan: MatchPlan, winner: int, rule: WalkoverRule = "withdrawn") -> Verdict:
    """The verdict of a match that `winner` wins because of what happened to the other: no set counts."""
    verdict = _verdict(spec, plan, Sums(UNITS[spec.score]), rule)
    return msgspec.structs.replace(verdict, winner=winner)


def _check_sets(spec: Spec, sets: Sequence[SetScore]) -> None:
    for number, score in enumerate(sets):
        if score.number != number:
            raise BadResult(f"Set {number} of the match is missing: after {number - 1} comes {score.number}.")
        if not 0 <= score.half_points <= UNITS[spec.score]:
            raise BadResult(f"Set {number} scores {score.half_points}, not 0 to {UNITS[spec.score]}.")


def _rule(spec: Spec, plan: MatchPlan, sums: Sums) -> Rule:
    """The rule that decides after these blocks, "" if none does."""
    match = spec.match
    if sums.sets <= match.cap and abs(sums.llr(exact(match.delta))) >= bound(exact(match.alpha)):
        return "sequential"
    if sums.sets < match.cap:
        return ""
    if not plan.bracket:
        return "cap: not separated"
    if sums.lead:
        return "points" if sums.sets == match.cap else "sudden death"
    return "seed" if sums.sets >= match.cap + SUDDEN_DEATH_BLOCKS * match.block else ""


def _open(spec: Spec, plan: MatchPlan) -> Verdict:
    """Before the first block."""
    return _verdict(spec, plan, Sums(UNITS[spec.score]), _OPEN)


def _verdict(spec: Spec, plan: MatchPlan, sums: Sums, rule: Rule) -> Verdict:
    """What follows from the sums alone: without points and gains."""
    verdict = Verdict(
        label=plan.label,
        first=plan.first,
        second=plan.second,
        decided=bool(rule),
        winner=_winner(plan, sums, rule),
        rule=rule,
        counted=sums.sets,
        unit=sums.unit,
        total=sums.total,
        squares=sums.squares,
        points=(0, 0),
        estimate=sums.estimate,
        interval=WIDEST,
        llr=round(float(sums.llr(exact(spec.match.delta))), 4),
        wanted=_wanted(spec, sums, rule),
    )
    return with_interval(spec, verdict) if rule else verdict


def _winner(plan: MatchPlan, sums: Sums, rule: Rule) -> int | None:
    if rule in {"", "cap: not separated"}:
        return None
    if rule == "seed":
        return plan.better_seed
    return plan.first if sums.lead > 0 else plan.second


def _wanted(spec: Spec, sums: Sums, rule: Rule) -> int:
    cap = spec.match.cap // spec.match.block
    if rule:
        return sums.sets // spec.match.block
    return cap if sums.sets < spec.match.cap else cap + SUDDEN_DEATH_BLOCKS
