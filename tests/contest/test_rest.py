"""When nothing is left to learn on a ladder; expected values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from maumau.contest.ladder.rest import LEAST_SETS, Rest, describe_rest, find_rest
from maumau.contest.statistics.rating import ELO, Posterior

PLAYED = dict.fromkeys(range(4), LEAST_SETS)


def believed(elo: list[float], error: float) -> Posterior:
    """Independent strengths, each with this standard error in Elo."""
    return Posterior(np.array(elo) / ELO, np.eye(len(elo)) * (error / ELO) ** 2)


@pytest.mark.parametrize(
    ("elo", "error", "found"),
    [
        # two: z = 2.5758 at 99 %; the distance has the error √2 · 10 = 14.142, half an interval is 36.4
        ([40.0, 0.0], 10.0, Rest(1, 0)),
        ([36.0, 0.0], 10.0, None),
        # √2 · 4.1 = 5.798, half 14.94: close enough, whoever is above
        ([1.0, 0.0], 4.1, Rest(0, 1)),
        ([1.0, 0.0], 4.2, None),  # half 15.30
        # three have two pairs of neighbours: z = 2.8070 at 99.5 % each, half 39.7
        ([80.0, 40.0, 0.0], 10.0, Rest(2, 0)),
        ([79.0, 40.0, 0.0], 10.0, None),
        # who is first and third is not asked
        ([0.0, 80.0, 40.0], 10.0, Rest(2, 0)),
    ],
)
def test_neighbours_are_told_apart_or_close_or_it_goes_on(elo, error, found) -> None:
    assert find_rest(believed(elo, error), range(len(elo)), PLAYED) == found


def test_strengths_that_move_together_have_a_distance_that_is_known() -> None:
    covariance = np.array([[100.0, 96.0], [96.0, 100.0]]) / ELO**2  # of the distance: 8, half 7.3 Elo
    known = Posterior(np.array([10.0, 0.0]) / ELO, covariance)
    assert find_rest(known, [0, 1], PLAYED) == Rest(1, 0)


def test_only_those_who_may_be_paired_are_asked_and_a_new_one_wakes_it() -> None:
    known = believed([80.0, 79.0, 0.0], 10.0)
    assert find_rest(known, [0, 1, 2], PLAYED) is None
    assert find_rest(known, [0, 2], PLAYED) == Rest(1, 0)
    assert find_rest(known, [0, 2], {0: LEAST_SETS, 2: LEAST_SETS - 1}) is None
    assert find_rest(known, [0, 2], {0: LEAST_SETS}) is None
    assert find_rest(known, [0], PLAYED) is None


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Rest(1, 0), "the two bots are told apart"),
        (Rest(5, 0), "all 5 pairs of neighbours are told apart"),
        (Rest(3, 2), "3 of 5 pairs are told apart and 2 known to ±15 Elo"),
        (Rest(1, 1), "1 of 2 pairs is told apart and 1 known to ±15 Elo"),
        (Rest(0, 1), "1 pair of neighbours is known to ±15 Elo"),
        (Rest(0, 4), "all 4 pairs of neighbours are known to ±15 Elo"),
    ],
)
def test_the_reason_is_said_in_words(found: Rest, words: str) -> None:
    assert describe_rest(found) == (
        f"It rests: {words}, with 99% confidence. "
        "A bot that joins, leaves or activates another version wakes it."
    )
