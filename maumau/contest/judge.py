"""A match: deal sets between two entrants until it is decided (docs/reference/verify.md).

Sets are numbered from 0; block k holds the sets k·block to (k + 1)·block - 1. The match is judged after each
block in the order of their numbers, so blocks that were played ahead beyond the stopping point change
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec

from maumau.contest.claim import WalkoverRule
from maumau.contest.format.match import MatchPlan, Rule, Verdict
from maumau.contest.match_rule import MatchRule
from maumau.contest.score import UNITS, BlockSums, SetScore, add_up, choose_mode, count_units
from maumau.contest.spec.spec import Spec
from maumau.contest.statistics.evidence import find_bound, weigh_evidence
from maumau.contest.statistics.sequential import Sums
from maumau.contest.table_judge import SUDDEN_DEATH_BLOCKS, judge_table
from maumau.contest.tally import NO_WINS, Tally, count_wins
from maumau.errors import BadResult

WIDEST = (0.0, 1.0)

_OPEN: Rule = ""


def judge_match(spec: Spec, plan: MatchPlan, sets: Sequence[SetScore], seed_take: int = 0) -> Verdict:
    """Judge a match by its finished prefix: set 0, 1, 2 … as far as they follow without a gap.

    Only whole blocks are looked at, one after the other, up to the one that decides. Sets after it may be
    given; they do not count. seed_take: as in `Verdict`.
    """
    seats = len(plan.players)
    _check_sets(count_units(choose_mode(spec.score, seats), seats), sets)
    size = spec.choose_match(plan.stage).block
    unit = UNITS[spec.score]
    whole = (add_up(sets[start : start + size], unit) for start in range(0, len(sets) - size + 1, size))
    verdict = judge_blocks(spec, plan, whole, seed_take)
    return verdict if verdict.decided else with_interval(spec, verdict)


def judge_blocks(
    spec: Spec,
    plan: MatchPlan,
    blocks: Iterable[BlockSums],
    seed_take: int = 0,
    before: Verdict | None = None,
) -> Verdict:
    """Judge a match by the sums of whole blocks: block 0, 1, 2 … without a gap.

    While nothing is decided the interval is the widest: it costs more than all the rest (`with_interval`).
    before: an open verdict on the first of these blocks, which are not judged again.
    """
    match = spec.choose_match(plan.stage)
    if plan.others:
        return judge_table(match, plan, blocks, seed_take, before)
    start = before or _build_open(spec, plan)
    sums, points, gains, rule = start.sums, start.points, list(start.gains), start.rule
    tally = Tally(start.wins[0], start.wins[1], start.reached) if start.wins else NO_WINS
    for block in islice(blocks, len(gains), None):
        if rule:
            break
        sums = sums.join_sums(Sums(sums.unit, block.sets, block.total, block.squares))
        points = points[0] + block.first_points, points[1] + block.second_points
        gains.append((block.gain, block.gain_squares))
        tally = count_wins(tally, match, block, sums.sets - block.sets)
        rule = _find_rule(match, plan, sums, tally)
    verdict = _build_verdict(match, plan, sums, rule, tally)
    return msgspec.structs.replace(verdict, points=points, gains=tuple(gains), seed_take=seed_take)


def with_interval(spec: Spec, verdict: Verdict) -> Verdict:
    """Return the verdict with the interval of its sums; at a table of more than two it has it already."""
    if verdict.others:
        return verdict
    match = spec.choose_match(int(verdict.label.partition(".")[0]))
    return msgspec.structs.replace(verdict, interval=find_interval(match, verdict.sums))


def find_interval(match: MatchRule, sums: Sums) -> tuple[float, float]:
    """Return the 95 % interval of the first's mean score, as the end of such a match asks for."""
    from maumau.contest.statistics.interval import (
        compute_interval,  # with NumPy, which a service needs with its first result
    )

    return compute_interval(match, sums)


def walkover(spec: Spec, plan: MatchPlan, winner: int, rule: WalkoverRule = "withdrawn") -> Verdict:
    """Return the verdict of a match that `winner` wins because of the other's exit: no set counts."""
    verdict = _build_verdict(spec.choose_match(plan.stage), plan, Sums(UNITS[spec.score]), rule)
    return msgspec.structs.replace(verdict, winner=winner)


def _check_sets(unit: int, sets: Sequence[SetScore]) -> None:
    for number, score in enumerate(sets):
        if score.number != number:
            raise BadResult(f"Set {number} of the match is missing: after {number - 1} comes {score.number}.")
        if not 0 <= score.half_points <= unit:
            raise BadResult(f"Set {number} scores {score.half_points}, not 0 to {unit}.")


def _find_rule(match: MatchRule, plan: MatchPlan, sums: Sums, tally: Tally) -> Rule:
    """Return the rule that decides after these blocks, "" if none does."""
    if _is_decided(match, sums, tally):
        return "first to" if match.kind == "first_to" else "sequential"
    if sums.sets < match.cap:
        return ""
    if match.kind == "fixed" and sums.sets == match.cap and sums.lead:
        return "fixed"
    if not plan.bracket:
        return "tie" if match.kind == "fixed" else "cap: not separated"
    if sums.lead:
        return "points" if sums.sets == match.cap else "sudden death"
    return "seed" if sums.sets >= match.cap + SUDDEN_DEATH_BLOCKS * match.block else ""


def _is_decided(match: MatchRule, sums: Sums, tally: Tally) -> bool:
    """Return True if the match has come to the end that its kind asks for, before its last set."""
    if match.kind != "sequential":
        return tally.reached > 0
    return sums.sets <= match.cap and abs(weigh_evidence(match, sums)) >= find_bound(match)


def _build_open(spec: Spec, plan: MatchPlan) -> Verdict:
    """Return the verdict before the first block."""
    return _build_verdict(spec.choose_match(plan.stage), plan, Sums(UNITS[spec.score]), _OPEN)


def _build_verdict(
    match: MatchRule, plan: MatchPlan, sums: Sums, rule: Rule, tally: Tally = NO_WINS
) -> Verdict:
    """Return the verdict from the sums alone: without points and gains."""
    verdict = Verdict(
        label=plan.label,
        first=plan.first,
        second=plan.second,
        decided=bool(rule),
        winner=_find_winner(plan, sums, rule, tally),
        rule=rule,
        counted=sums.sets,
        unit=sums.unit,
        total=sums.total,
        squares=sums.squares,
        points=(0, 0),
        estimate=sums.estimate,
        interval=find_interval(match, sums) if rule else WIDEST,
        llr=round(float(weigh_evidence(match, sums)), 4) + 0.0,
        wanted=_count_wanted(match, sums, rule),
    )
    if match.kind != "first_to":
        return verdict
    return msgspec.structs.replace(verdict, wins=(tally.first, tally.second), reached=tally.reached)


def _find_winner(plan: MatchPlan, sums: Sums, rule: Rule, tally: Tally) -> int | None:
    if rule in {"", "cap: not separated", "tie"}:
        return None
    if rule == "seed":
        return plan.better_seed
    lead = tally.first - tally.second if rule == "first to" else sums.lead
    return plan.first if lead > 0 else plan.second


def _count_wanted(match: MatchRule, sums: Sums, rule: Rule) -> int:
    cap = match.cap // match.block
    if rule:
        return sums.sets // match.block
    return cap if sums.sets < match.cap else cap + SUDDEN_DEATH_BLOCKS
