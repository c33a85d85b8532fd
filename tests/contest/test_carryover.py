"""A bot that plays better in the seating played second is found; one without memory is not."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from msgspec.structs import replace

from maumau.contest.entrant import Entrant
from maumau.contest.export.carryover import ALPHA, find_carryover, find_p
from maumau.contest.format.match import MatchPlan
from maumau.contest.judge import judge_match
from maumau.contest.score import DealScore, SetScore, score_set
from maumau.contest.seed import deal_seed
from maumau.contest.spec.spec import parse_spec
from maumau.game import order_seatings
from tests.support.kinds import one_of

ROOT = "ab" * 32
NAMES = ("rollout", "greedy", "random", "first", "counter", "hoarder")
STRENGTHS = (0.6, 0.5, 0.42, 0.4, 0.58, 0.45)
BLOCK, BLOCKS = 100, 6
TOML = 'name = "cup"\nrules = "prsi"\nscore = "{}"\n[[stage]]\nformat = "round_robin"\n[match]\nblock = {}\n'
TERMS = parse_spec(TOML.format("win", BLOCK) + f"cap = {BLOCK * BLOCKS}\n")
ENTRANTS = [Entrant(number, name, f"{number:064x}") for number, name in enumerate(NAMES, start=1)]
PAIRS = list(itertools.combinations(range(1, len(NAMES) + 1), 2))


def plan(place, first, second):
    return MatchPlan(f"1.1.{place}", 1, 1, place, first, second, bracket=False, better_seed=first)


PLANS = [plan(place, *pair) for place, pair in enumerate(PAIRS, start=1)]


def second_seating(secret, label, number, size=BLOCK):
    """Return the seating of a set's block that is played second."""
    return order_seatings([deal_seed(secret, ROOT, label, number // size * size)], (0, 1))[1]


def deal_by_chance(rng, seating, leads):
    """Return one deal that the leading seat wins with this chance."""
    seat = seating if rng.random() < leads else 1 - seating
    return DealScore((1, 2) if seat == 0 else (2, 1), (0, 0))


def tournament(secret, knows=0, knowing=0.0):
    """Return a random round robin in which to lead is worth a little; `knows` wins more in second seatings.

    The luck of a set is in both of its deals: who has the good cards in one has the bad ones in the other.
    """
    rng, verdicts = random.Random(secret), []
    for match in PLANS:
        skill = 0.5 + (STRENGTHS[match.first - 1] - STRENGTHS[match.second - 1]) / 2
        sign = (knows == match.first) - (knows == match.second)
        sets = []
        for number in range(BLOCK * BLOCKS):
            later, luck = second_seating(secret, match.label, number), 0.06 + rng.gauss(0, 0.2)
            chances = [skill + luck, skill - luck]
            chances[later] += sign * knowing
            deals = [deal_by_chance(rng, seating, chance) for seating, chance in enumerate(chances)]
            sets.append(score_set("win", number, deals))
        verdicts.append(judge_match(TERMS, match, sets))
    return find_carryover(TERMS, secret, ROOT, ENTRANTS, verdicts)


def honest(rng):
    """Return the gains of a whole round robin's blocks as honest bots have them.

    What it is worth to lead differs from match to match, and whole blocks have noise of their own, as bots
    make it that change with each process.
    """
    worth = rng.normal(-0.2, 0.1, (len(PAIRS), 1, 1))
    moods = rng.normal(0, 0.1, (len(PAIRS), BLOCKS, 1))
    drawn = rng.normal(worth + moods, 1.4, (len(PAIRS), BLOCKS, BLOCK))
    return np.clip(np.rint(drawn), -2, 2).astype(int)


@pytest.mark.long
def test_bots_that_remember_nothing_are_accused_in_no_more_tournaments_than_alpha_says():
    """At whatever moment somebody looks: after each block of all matches."""
    empty, accused = [judge_match(TERMS, match, []) for match in PLANS], 0
    for number in range(200):
        gains = honest(np.random.default_rng(number))
        pairs = np.stack([gains.sum(axis=2), (gains**2).sum(axis=2)], axis=2).tolist()
        looks = (
            [
                replace(one, gains=tuple(map(tuple, each[:played])))
                for one, each in zip(empty, pairs, strict=True)
            ]
            for played in range(1, BLOCKS + 1)
        )
        found = [find_carryover(TERMS, f"honest {number}", ROOT, ENTRANTS, verdicts) for verdicts in looks]
        accused += any(one.suspicious for look in found for one in look)
    assert accused <= ALPHA * 200


@pytest.mark.long
def test_a_whole_tournament_of_honest_deals_accuses_nobody():
    found = tournament("honest")
    assert not [one.name for one in found if one.suspicious]
    assert [one.name for one in found] == list(NAMES)
    assert all(one.low <= one.estimate <= one.high for one in found)
    assert all(5 * BLOCK <= one.sets <= 5 * BLOCK * BLOCKS for one in found)


@pytest.mark.sample
@pytest.mark.parametrize("knows", one_of(3, range(1, len(NAMES) + 1)))
def test_who_wins_more_of_what_it_plays_the_second_time_is_found_within_one_tournament(knows):
    found = tournament("x0", knows, 0.2)
    assert [one.name for one in found if one.suspicious] == [NAMES[knows - 1]]
    assert 0.05 < found[knows - 1].low < found[knows - 1].estimate < found[knows - 1].high < 0.4


def test_the_figures_of_a_small_match_are_those_worked_out_by_hand():
    """Two blocks of two sets with the gains 2, 0 and -2, -2; a set of deals is worth 2 a deal.

    The mean of a set is -½. In the first block seating 1 is second, in the second seating 0: in deals the
    first's sums are (2 + 1) / 2 and (4 - 1) / 2, in all 3 of 4 sets.
    """
    terms = parse_spec(TOML.format("win", 2) + "cap = 4\ndelta = 0.001\n")
    secret = next(
        text for text in map(str, range(1000))
        if [second_seating(text, "1.1.1", number, 2) for number in (0, 2)] == [1, 0]
    )  # fmt: skip
    sets = [SetScore(number, 2, (0, 0), gain) for number, gain in enumerate((2, 0, -2, -2))]
    verdict = judge_match(terms, PLANS[0], sets)
    assert verdict.gains == ((2, 4), (-4, 8))
    first, second = find_carryover(terms, secret, ROOT, ENTRANTS[:2], [verdict])
    # by sets: scatter (1 + 1) / 4 = ½, so (½ + ¼) / (4 - 2 + 1) = ¼; by blocks both sums are 1.5: 0
    assert (first.sets, first.estimate) == (4, 0.75)
    assert (first.low, first.high) == (round(0.75 - 1.95996398 * 0.25, 4), 1.0)
    # ¼ + 4·0.01 = 0.29; √(0.25 / 0.29) = 0.928477; 0.09 / (2·0.25·0.29) = 0.620690; Φ(1.114172) = 0.86739
    assert first.p == pytest.approx(1 / (2 * 0.928477 * math.exp(0.620690) * 0.86739), rel=2e-3)
    assert (second.estimate, second.p) == (-0.75, 1.0)


@pytest.mark.parametrize(("mode", "won"), [("win", (0, 0)), ("points", (0, 100))])
def test_the_most_that_can_be_gained_is_a_whole_deal(mode, won):
    terms = parse_spec(TOML.format(mode, 50) + "cap = 300\n")
    match, sets = PLANS[0], []
    for number in range(300):  # the first wins every deal of seatings played second, and no other
        later = second_seating("s", match.label, number, 50)
        seats = [seating if seating == later else 1 - seating for seating in (0, 1)]
        deals = [DealScore((1, 2), won) if seat == 0 else DealScore((2, 1), won[::-1]) for seat in seats]
        sets.append(score_set(mode, number, deals))
    orders = [1 if second_seating("s", match.label, 50 * block, 50) else -1 for block in range(6)]
    assert len(set(orders)) == 2
    verdict = judge_match(terms, match, sets)
    first, second = find_carryover(terms, "s", ROOT, ENTRANTS[:2], [verdict])
    assert first.estimate == pytest.approx(1 - (sum(orders) / 6) ** 2, abs=1e-4)
    assert second.estimate == -first.estimate
    assert (first.suspicious, second.suspicious) == (True, False)


def test_evidence_that_is_too_large_to_write_is_a_chance_of_nothing():
    assert 0 < find_p(10_000, 10_000.0, 0.001) < 1e-300
    assert find_p(10_000, -10_000.0, 0.001) == 1
    assert find_p(10_000, 0.0, 0.1) == 1


def test_before_anything_was_played_nothing_is_known():
    for one in find_carryover(TERMS, "s", ROOT, ENTRANTS, [judge_match(TERMS, PLANS[0], [])]):
        assert (one.sets, one.estimate, one.low, one.high, one.p, one.suspicious) == (0, 0, -1, 1, 1, False)
