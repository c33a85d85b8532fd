"""A bot that decides otherwise in deals it may know is named; one that decides by the clock is not."""

from __future__ import annotations

import numpy as np
import pytest

from maumau.contest.entrant import Entrant
from maumau.contest.export.carryover import ALPHA
from maumau.contest.export.foreknowledge import (
    CLOCK_ODDS,
    Marks,
    find_first_change,
    find_foreknowledge,
    find_p,
    mark_deal,
)

FIELD = [Entrant(number, f"bot-{number}", f"{number:064x}") for number in range(1, 9)]
RECORD = "[maumau 1]\n[seats 2]\ndeal A 7H 9S\ndeal B TD KC\nup 9H\nA 9S\nB draw TS\nresult places 1 2\n"


def test_the_evidence_of_few_pairs_is_that_worked_out_by_hand():
    """With q = 2/3 and a uniform p on (q, 1): E[p]/q = 5/4, E[1 - p]/(1 - q) = 1/2, E[p²]/q² = 19/12,
    E[p(1 - p)]/q(1 - q) = 3·(p²/2 - p³/3 from 2/3 to 1)·9/2 = 3·7/162·9/2 = 7/12.
    """
    assert find_p(0, 0) == 1
    assert find_p(1, 0) == pytest.approx(4 / 5)
    assert find_p(2, 0) == pytest.approx(12 / 19)
    assert find_p(0, 1) == find_p(1, 1) == 1
    assert find_p(3, 1) < 1 / (7 / 12)


def test_seventeen_deals_that_were_known_name_one_of_eight_and_sixteen_do_not():
    """E[p^a] = 3·(1 - (2/3)^(a + 1)) / (a + 1)."""
    for pairs in (16, 17, 40):
        expected = (2 / 3) ** pairs * (pairs + 1) / 3 / (1 - (2 / 3) ** (pairs + 1))
        assert find_p(pairs, 0) == pytest.approx(expected)
    assert find_p(17, 0) <= ALPHA / 8 < find_p(16, 0)


def test_evidence_that_is_too_large_to_write_is_a_chance_of_nothing():
    assert find_p(10_000, 0) == 0
    assert find_p(0, 10_000) == find_p(5_000, 5_000) == 1


@pytest.mark.parametrize(
    ("line", "other", "seat"),
    [
        ("A 9S", "A 7H", 0), ("B draw TS", "B TD", 1), ("B draw TS", "A 7H", -1), ("up 9H", "up 9D", -1),
        ("A 9S", "A 9S", None),
    ],
)  # fmt: skip
def test_the_first_difference_is_of_the_seat_that_decided(line, other, seat):
    assert find_first_change(RECORD, RECORD.replace(line, other)) == seat


def test_what_comes_after_the_first_difference_is_nobodys():
    again = RECORD.replace("A 9S", "A 7H").replace("B draw TS", "B TD")
    assert find_first_change(RECORD, again) == 0
    assert [mark_deal(seat, 0) for seat in (0, 1)] == ["1", "."]
    assert [mark_deal(seat, -1) for seat in (0, 1)] == [".", "."]
    assert [mark_deal(seat, None) for seat in (0, 1)] == ["0", "0"]


def test_a_record_that_ends_early_names_nobody():
    assert find_first_change(RECORD, RECORD.removesuffix("result places 1 2\n")) == -1


def test_told_and_fresh_deals_are_paired_without_those_cut_short():
    marks = Marks(told="1.1" + "1" * 16 + "00", fresh="." + "0" * 19 + "1", screened="11.0")
    (found,) = find_foreknowledge(FIELD[:1], {1: marks})
    # twenty told deals count, and the first twenty fresh ones: the last pair has a change in the fresh one
    assert (found.told, found.told_changed, found.fresh, found.fresh_changed) == (20, 18, 20, 1)
    assert (found.screened, found.screened_changed) == (3, 2)
    assert found.p == pytest.approx(find_p(18, 1, CLOCK_ODDS), rel=0.01)


def test_screened_deals_are_no_evidence():
    (found,) = find_foreknowledge(FIELD[:1], {1: Marks(screened="1" * 500)})
    assert (found.p, found.suspicious) == (1, False)


def test_a_bot_without_isolated_deals_has_no_evidence():
    for one in find_foreknowledge(FIELD, {}):
        assert (one.told, one.screened, one.p, one.suspicious) == (0, 0, 1, False)


def accuse(rng, *, seasons, mood):
    """Return the seasons in which one of eight honest bots is suspicious, checked after each of ten audits.

    How often a bot decides otherwise is its own, from never to nearly always, and in each run of a seating
    the host shifts the odds by a factor whose logarithm has the deviation `mood`.
    """
    count = 0
    for _ in range(seasons):
        own = rng.normal(-1, 2, (8, 1, 1))
        logit = own + rng.normal(0, mood, (8, 10, 2))
        changed = rng.random((8, 10, 2, 60)) < 1 / (1 + np.exp(-logit[..., None]))
        marks = np.where(changed, "1", "0")
        looks = (
            {n: Marks(*("".join(marks[n - 1, :audits, kind].flat) for kind in (0, 1))) for n in range(1, 9)}
            for audits in range(1, 11)
        )
        count += any(one.suspicious for look in looks for one in find_foreknowledge(FIELD, look))
    return count


@pytest.mark.long
@pytest.mark.parametrize("mood", [0.35, 0.7])
def test_of_bots_that_decide_by_the_clock_fewer_are_accused_than_alpha_says(mood):
    assert accuse(np.random.default_rng(7), seasons=1000, mood=mood) <= ALPHA * 1000


@pytest.mark.long
def test_honest_seasons_that_are_looked_at_again_and_again_accuse_hardly_anybody():
    assert accuse(np.random.default_rng(3), seasons=40, mood=0.35) <= ALPHA * 40
