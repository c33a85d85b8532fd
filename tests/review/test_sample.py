"""A review uses what its seat could know, and nothing else."""

from __future__ import annotations

import random

import pytest

from maumau.game import deal, load, variants
from maumau.game.record import record
from maumau.game.replay import replay_stages
from maumau.review.moment import follow_seat
from maumau.review.review import Review
from tests.review.laid_out import (
    are_alike,
    play_somehow,
    review_text,
    shuffle_out,
    swap_hidden,
    write_record,
)
from tests.support.kinds import one_of

LONGEST = 40  # actions
SECONDS = 0.005  # the least of samples: the figures are the same or they are not


def told(review: Review) -> tuple[object, ...]:
    """Return what a review says of the decisions, without the outcome that the hidden cards decide."""
    return review.decisions, review.costliest, review.dealt, review.drawn, review.play


def check_twins(variant: str, seats: int) -> None:
    """Compare the reviews of two deals that a seat cannot tell apart: of the first that are short enough."""
    for number in range(40):
        laid, rng, seat = shuffle_out(variant, seats, number), random.Random(number), number % seats
        done = play_somehow(laid, number)
        if len(done) > LONGEST:
            continue
        twins = (swap_hidden(laid, seat, rng) for _ in range(60))
        twin = next((one for one in twins if one != laid and are_alike(laid, one, done, seat)), None)
        if twin is not None:
            first, second = (write_record(one, done) for one in (laid, twin))
            assert first != second
            assert told(review_text(first, seat, SECONDS)) == told(review_text(second, seat, SECONDS))
            return
    raise AssertionError("no such deals were found")


@pytest.mark.sample
@pytest.mark.parametrize("variant", one_of(5, sorted(variants())))
def test_deals_that_look_alike_to_a_seat_get_the_same_figures(variant: str) -> None:
    check_twins(variant, 2)


@pytest.mark.long
@pytest.mark.parametrize("variant", ["mau_mau", "schweizer_2016", "faraon"])
def test_they_do_with_three_seats(variant: str) -> None:
    check_twins(variant, 3)


@pytest.mark.parametrize("variant", one_of(4, sorted(variants())))
def test_a_sample_shows_its_seat_what_it_saw(variant: str) -> None:
    rng, d = random.Random(5), deal(load(variant), 3, "view")
    while not d.over:
        seat = rng.choice(d.to_act)
        action = rng.choice(d.legal(seat))
        d.apply(seat, action + d.due(seat, action))
    for seat in range(3):
        moments = follow_seat(replay_stages(record(d)), seat).moments
        for moment in moments:
            sample = moment.before.sample(rng)
            assert [str(action) for action in sample.legal(seat)] == [
                str(action) for action in moment.asked.legal(seat)
            ]
            shown, real = sample.view(seat), moment.asked.view(seat)
            for name in ("hand", "top", "wish", "owed", "counts", "stock", "out", "side", "claim", "queens"):
                assert getattr(shown, name) == getattr(real, name), (name, moment.asks)
