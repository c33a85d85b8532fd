"""The figures of a review: their errors are true, their parts add up, and a seed repeats them."""

from __future__ import annotations

import random
import re
from statistics import fmean, stdev

import pytest

from bench.support.checkout import ROOT
from maumau.errors import BadRecord
from maumau.game import deal, load, record
from maumau.game.replay import replay_stages
from maumau.review.measure import ActionTally, compare_tallies, estimate_error
from maumau.review.policy import Policy
from maumau.review.review import review_deal
from tests.review.laid_out import play_somehow, review_text, shuffle_out, write_record

REPEATS = 24


def some_record(variant: str, seats: int, number: int) -> str:
    laid = shuffle_out(variant, seats, number)
    return write_record(laid, play_somehow(laid, number))


def test_a_seed_repeats_every_figure_and_another_one_does_not() -> None:
    text = some_record("mau_mau", 3, 2)
    first = review_text(text, 0, 0.1, "one")
    assert review_text(text, 0, 0.1, "one") == first
    assert review_text(text, 0, 0.1, "two").decisions != first.decisions


@pytest.mark.parametrize(("variant", "seats"), [("mau_mau", 2), ("one_oh_one", 4)])
def test_luck_and_play_add_up_to_the_outcome(variant: str, seats: int) -> None:
    text = some_record(variant, seats, 5)
    for seat in range(seats):
        found = review_text(text, seat, 0.05)
        parts = found.dealt, found.drawn, found.rest, found.play, found.fault
        assert found.even + sum(part.value for part in parts) == pytest.approx(found.outcome)
        assert found.play.value <= 0
        assert found.even == 1 / seats
        assert [one.number for one in found.decisions] == list(range(1, len(found.decisions) + 1))


@pytest.mark.long
def test_errors_are_as_large_as_the_figures_differ_with_other_seeds() -> None:
    """Of many repeats the spread of a figure is its stated error, within what so few can say."""
    text = some_record("mau_mau", 2, 1)
    many = [review_text(text, 0, 0.05, f"{number}") for number in range(REPEATS)]
    ratios = []
    for decisions in zip(*(found.decisions for found in many), strict=True):
        values = [one.chance for one in decisions]
        if 0.1 < fmean(values) < 0.9:
            ratios.append(stdev(values) / fmean(one.error for one in decisions))
    assert len(ratios) >= 3
    assert fmean(ratios) == pytest.approx(1, abs=0.25)


@pytest.mark.long
def test_losses_of_equal_actions_are_seldom_called_costly() -> None:
    """Decisions that a long review finds free are called costly by one of many short ones, by chance."""
    text = some_record("prsi", 2, 3)
    long = review_text(text, 0, 2.0)
    cheap = {one.number for one in long.decisions if one.loss < 0.01}
    assert cheap
    called = [
        one.number
        for number in range(REPEATS)
        for one in review_text(text, 0, 0.05, f"{number}").decisions
        if one.costly and one.number in cheap
    ]
    assert len(called) <= 2


def test_an_error_is_never_nothing() -> None:
    """By Agresti and Coull: of 10 out of 10 the error is that of 11 out of 12, sqrt(11/12 * 1/12 / 11)."""
    assert estimate_error([1.0] * 10) == pytest.approx((11 / 12 * 1 / 12 / 11) ** 0.5)
    best, other = ActionTally("a"), ActionTally("b")
    best.shares, other.shares = [1.0, 1.0, 0.0], [0.0, 1.0]
    mean, error = compare_tallies(best, other)
    assert mean == 0.5  # of the two samples that both have
    assert error == 0.5  # the root of (0.5² + 0.5² + 1) / 2 / 3


def test_a_deal_that_breaks_off_is_not_reviewed() -> None:
    text = some_record("mau_mau", 2, 1)
    lines = text.splitlines(keepends=True)
    with pytest.raises(BadRecord, match="ends before the deal is over"):
        review_deal(replay_stages("".join(lines[:-4])), 0, seconds=0.01)


def test_what_a_stand_in_plays_is_not_the_seats_decision() -> None:
    text = (ROOT / "tests/game/golden/mau_mau-forfeit.record").read_text(encoding="utf-8")
    events = [line for line in text.splitlines() if re.match(r"[A-J] |forfeit |shuffle ", line)]
    fault = next(number for number, line in enumerate(events) if line.startswith("forfeit "))
    seat = "ABCDEFGHIJ".index(events[fault].split()[1])
    found = review_text(text, seat, 0.05)
    assert all(one.event <= fault for one in found.decisions)
    assert any(line.startswith(f"{'ABCDEFGHIJ'[seat]} ") for line in events[fault + 1 :])
    assert found.outcome == 0


def play_on(d, rng: random.Random, number: int) -> None:
    """Play this number of actions, or fewer if the deal ends before."""
    policy = Policy(d)
    for _ in range(number):
        if d.over:
            return
        policy.step(d, rng)


def with_faults(variant: str, seats: int, number: int, faults: list[tuple[int, str]]) -> str:
    """Return the record of a deal with faults after some actions, played to its end by stand-ins."""
    d, rng = deal(load(variant), seats, f"{variant} faults"), random.Random(number)
    play_on(d, rng, number)
    assert not d.over
    for seat, kind in faults:
        d.forfeit(seat, kind)
    play_on(d, rng, 10_000)
    return record(d)


@pytest.mark.sample(4)
@pytest.mark.parametrize("variant", ["mau_mau", "schweizer_2016", "prsi_blind", "faraon"])
@pytest.mark.parametrize(("number", "seat", "kind"), [(0, 1, "left"), (8, 0, "time")])
def test_a_fault_that_decides_the_deal_ends_luck_and_play(variant, number, seat, kind) -> None:
    """The loser's fault and the winner's gain are one part; nothing that stand-ins play is anybody's."""
    text = with_faults(variant, 2, number, [(seat, kind)])
    for reviewed in range(2):
        found = review_text(text, reviewed, 0.02)
        (fault,) = found.forfeits
        assert (fault.seat, fault.kind, fault.decides) == (seat, kind, True)
        assert all(one.event < fault.event for one in found.decisions)
        assert found.outcome == (reviewed != seat)
        assert 0 <= found.outcome - found.fault.value <= 1  # the chance at which luck and play end
        parts = found.dealt, found.drawn, found.rest, found.play, found.fault
        assert found.even + sum(part.value for part in parts) == pytest.approx(found.outcome)


def test_who_had_nothing_to_decide_before_the_other_left_is_given_no_luck() -> None:
    found = review_text(with_faults("mau_mau", 2, 0, [(1, "left")]), 0, 0.02)
    assert (found.decisions, found.dealt.value) == ([], 0)
    assert found.fault.value + found.rest.value == pytest.approx(0.5)
    assert abs(found.rest.value) < 3 * found.rest.error


def test_a_fault_of_one_of_three_decides_for_itself_and_a_second_one_for_the_last() -> None:
    text = with_faults("mau_mau", 3, 9, [(1, "crash")])
    for seat in range(3):
        found = review_text(text, seat, 0.02)
        assert [fault.decides for fault in found.forfeits] == [seat == 1]
        assert (found.fault.value == 0) == (seat != 1)
        assert any(one.event > found.forfeits[0].event for one in found.decisions) == (seat != 1)
    both = with_faults("mau_mau", 3, 9, [(1, "crash"), (2, "time")])
    alone = review_text(both, 0, 0.02)
    assert [fault.decides for fault in alone.forfeits] == [False, True]
    assert alone.outcome == 1
    assert alone.fault.value > 0.3  # both faults: they came at once


def test_a_question_that_a_fault_interrupts_is_not_answered_by_it() -> None:
    """A window lets a seat hold its peace; a fault within it is nobody's answer."""
    for number in range(60):
        d, rng = deal(load("schweizer_2016"), 2, "window"), random.Random(number)
        play_on(d, rng, number)
        if not d.over and d.asks in ("window", "appeal"):
            break
    assert d.asks in ("window", "appeal")
    (asked, *_) = d.to_act
    d.forfeit(1 - asked, "left")
    at = [line for line in record(d).splitlines() if re.match(r"[A-J] (?!out)|forfeit ", line)]
    play_on(d, rng, 10_000)
    found = review_text(record(d), asked, 0.02)
    assert at[-1].startswith("forfeit")
    assert found.forfeits[0].decides
    assert all(one.taken != "hold" or one.event < found.forfeits[0].event for one in found.decisions)


def test_a_deal_that_all_forfeit_is_decided_by_the_first_of_the_faults() -> None:
    text = with_faults("mau_mau", 2, 9, [(0, "stall"), (1, "stall")])
    for seat in range(2):
        found = review_text(text, seat, 0.02)
        assert [fault.decides for fault in found.forfeits] == [True, False]
        assert found.outcome == 0.5
