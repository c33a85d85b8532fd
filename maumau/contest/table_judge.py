"""A match at a table of more than two: deal sets until all pairs are separated, or up to the cap.

The score is by places. After each block the lead of every two players is tested as that of a match of two
is, with alpha divided by the number of the pairs. The match is decided when all of them are separated at
once, so no pair that it calls separated is contradicted by later sets. A pair says who of the two is ahead,
and all pairs agree on one order, since a lead is a difference of scores.

Where the best `through` go on, only pairs of one who does and one who does not are tested, with alpha divided
by their number. At the cap the estimate decides; if it is level between the last who goes on and the next,
blocks of sudden death follow, and after ten of them the better seed goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, islice

import msgspec

from maumau.contest.format.match import MatchPlan, Rule, Verdict
from maumau.contest.match_rule import MatchRule
from maumau.contest.score import BlockSums, count_units
from maumau.contest.statistics.evidence import find_bound, weigh_evidence
from maumau.contest.statistics.table_sums import TableSums, empty_sums

Pair = tuple[int, int]

SUDDEN_DEATH_BLOCKS = 10

_OPEN: Rule = ""


def judge_table(
    match: MatchRule,
    plan: MatchPlan,
    blocks: Iterable[BlockSums],
    seed_take: int = 0,
    before: Verdict | None = None,
) -> Verdict:
    """Judge a match by the sums of whole blocks: block 0, 1, 2 … without a gap.

    before: an open verdict on the first of these blocks.
    """
    seats = len(plan.players)
    table = before.table if before else empty_sums(count_units("places", seats), seats)
    points, rule = before.points if before else (0,) * seats, _OPEN
    for block in islice(blocks, table.sets // match.block, None):
        if rule:
            break
        table = table.join_sums(block.sets, block.totals, block.products)
        points = tuple(map(sum, zip(points, block.all_points, strict=True)))
        rule = _find_rule(match, table, plan.through)
    return msgspec.structs.replace(
        _write_verdict(match, plan, table, rule), points=points, seed_take=seed_take
    )


def list_level(match: MatchRule, table: TableSums, through: int = 0) -> list[Pair]:
    """Return the tested pairs of positions that the test does not separate."""
    pairs = list_pairs(table, through)
    bound = find_bound(match, len(pairs))
    return [pair for pair in pairs if abs(weigh_evidence(match, table.compare_players(*pair))) < bound]


def list_pairs(table: TableSums, through: int = 0) -> list[Pair]:
    """Return the pairs of positions that are tested: all, or of one who goes on and one who does not."""
    pairs = combinations(range(len(table.totals)), 2)
    ahead = set(_order(table)[:through])
    return [pair for pair in pairs if not through or len(ahead.intersection(pair)) == 1]


def _order(table: TableSums) -> list[int]:
    """Return the positions, the best first; of equals the earlier one."""
    return sorted(range(len(table.totals)), key=lambda one: -table.totals[one])


def _find_rule(match: MatchRule, table: TableSums, through: int) -> Rule:
    """Return the rule that decides after these blocks, "" if none does."""
    if table.sets and table.sets <= match.cap and not list_level(match, table, through):
        return "sequential"
    if table.sets < match.cap:
        return ""
    return _find_cut(match, table, through) if through else "cap: not separated"


def _find_cut(match: MatchRule, table: TableSums, through: int) -> Rule:
    """Return the rule by which the estimate decides who goes on, "" while it is level there."""
    last, after = (table.totals[one] for one in _order(table)[through - 1 : through + 1])
    if last != after:
        return "points" if table.sets == match.cap else "sudden death"
    return "seed" if table.sets >= match.cap + SUDDEN_DEATH_BLOCKS * match.block else ""


def _write_verdict(match: MatchRule, plan: MatchPlan, table: TableSums, rule: Rule) -> Verdict:
    """Return the verdict without points."""
    level = list_level(match, table, plan.through)
    tested = list_pairs(table, plan.through)
    evidence = [abs(weigh_evidence(match, table.compare_players(*pair))) for pair in tested]
    own, players = table.sum_scores(0), plan.players
    return Verdict(
        label=plan.label,
        first=plan.first,
        second=plan.second,
        decided=bool(rule),
        winner=_find_winner(plan, table, level) if rule else None,
        rule=rule,
        counted=table.sets,
        unit=table.unit,
        total=own.total,
        squares=own.squares,
        points=(),
        estimate=own.estimate,
        interval=own.interval,
        llr=round(float(min(evidence)), 4) + 0.0,
        wanted=table.sets // match.block if rule else _count_wanted(match, table, plan.through),
        others=plan.others,
        totals=table.totals,
        products=table.products,
        level=tuple((players[a], players[b]) for a, b in level),
        through=plan.through,
    )


def _count_wanted(match: MatchRule, table: TableSums, through: int) -> int:
    """Return the number of blocks that an open match may have."""
    blocks = match.cap // match.block
    return blocks + SUDDEN_DEATH_BLOCKS if through and table.sets >= match.cap else blocks


def _find_winner(plan: MatchPlan, table: TableSums, level: list[Pair]) -> int | None:
    """Return the player that is ahead of all others, None if a pair with it is level.

    Where some go on it is the one that does, None if several do.
    """
    best = _order(table)[0]
    if plan.through:
        return plan.players[best] if plan.through == 1 else None
    return None if any(best in pair for pair in level) else plan.players[best]
