"""Guessed deals agree with everything that a seat has seen."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from maumau.bot import Bot, View
from maumau.bot.inside import play_inside
from maumau.errors import BadGuess, BadOption
from maumau.game import Deal, Rules, deal, load, variants
from maumau.game.guess import Belief
from maumau.game.model.state import edit_calls
from maumau.game.notation.cards import list_names
from tests.support.kinds import one_of

DEALT = ("turn", "answer", "cover", "again", "wish")  # decisions after everybody has his cards
RULES = ["mau_mau", "prsi", "app"]


def moments(rules: Rules, seats: int, seed: str) -> Iterator[tuple[Deal, int, Belief]]:
    """Yield every decision of a deal played by chance, with what the seat that must decide believes."""
    d, rng = deal(rules, seats, seed), random.Random(seed)
    beliefs = [Belief(rules, seats, seat) for seat in range(seats)]
    told = [0] * seats
    while not d.over:
        seat = d.to_act[0]
        beliefs[seat].see(d.seen(seat, told[seat]))
        told[seat] = len(d.log)
        yield d, seat, beliefs[seat]
        action = rng.choice(d.legal(seat))
        d.apply(seat, action + d.due(seat, action))


def shown(d: Deal, seat: int) -> dict[str, Any]:
    return msgspec.to_builtins(d.view(seat))


@pytest.mark.sample(2)
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("variant", one_of(2, RULES))
def test_a_guessed_deal_gives_its_seat_the_same_view(variant: str, seats: int) -> None:
    rng = random.Random(variant)
    for number in range(6):
        for d, seat, belief in moments(load(variant), seats, f"{number}"):
            if d.asks in DEALT:
                guess = belief.position(d.view(seat)).guess(rng)
                assert shown(guess, seat) == shown(d, seat)


@pytest.mark.parametrize("variant", sorted({*variants()} - {*RULES}))
def test_in_every_variant_a_guess_is_right_or_says_that_it_cannot_be_made(variant: str) -> None:
    rng, made = random.Random(variant), 0
    for d, seat, belief in moments(load(variant), 3, "any"):
        with suppress(BadGuess):
            guess = belief.position(d.view(seat)).guess(rng)
            assert shown(guess, seat)["legal"] == shown(d, seat)["legal"]
            made += 1
    assert made > 3 or load(variant).at(3).blind  # cards face down are not guessed


@pytest.mark.parametrize(
    ("options", "seats"),
    [({}, 7), ({"places": True}, 4), ({"seven_stacking": True, "eight_stacking": "pass_on"}, 3)],
)
def test_it_does_with_two_packs_with_places_and_with_answers(options: dict[str, Any], seats: int) -> None:
    rng = random.Random(1)
    for number in range(5):
        for d, seat, belief in moments(load("mau_mau", **options), seats, f"{number}"):
            if d.asks in DEALT:
                guess = belief.position(d.view(seat)).guess(rng)
                assert shown(guess, seat) == shown(d, seat)


def test_a_guess_moves_no_card_out_of_the_deal() -> None:
    rng = random.Random(2)
    for d, seat, belief in moments(load("prsi"), 4, "cards"):
        guess = belief.position(d.view(seat)).guess(rng)
        assert sum(hand.bit_count() for hand in guess.hands) + guess.stock.bit_count() <= 32
        together = guess.stock | guess.topmost
        for hand in guess.hands:
            assert not together & hand
            together |= hand


@pytest.mark.long
def test_a_guess_can_be_played_to_its_end() -> None:
    rng = random.Random(3)
    for number, variant in enumerate(RULES):
        for d, seat, belief in moments(load(variant), 3, f"end {number}"):
            if d.asks in DEALT:
                guess = belief.position(d.view(seat)).guess(rng)
                while not guess.over:
                    action = rng.choice(guess.legal(guess.to_act[0]))
                    guess.apply(guess.to_act[0], action + guess.due(guess.to_act[0], action))
                assert guess.places


@pytest.mark.long
def test_who_had_to_draw_is_dealt_nothing_that_would_have_fitted() -> None:
    rng = random.Random(4)
    checked = 0
    for number in range(60):
        for d, seat, belief in moments(load("mau_mau", cut_on=False), 2, f"draw {number}"):
            other = "BA"[seat]
            passed = d.seen(seat)[-2:] == [f"{other} draw", f"{other} pass"]
            if passed and not d.hands[1 - seat] & d.fits:  # not by choice
                for _ in range(10):
                    guess = belief.position(d.view(seat)).guess(rng)
                    assert guess.hands[1 - seat].bit_count() == d.hands[1 - seat].bit_count()
                    assert not guess.hands[1 - seat] & d.fits, "nor does the card fit that was drawn and kept"
                checked += 1
    assert checked > 20


def test_guesses_differ_and_repeat_with_their_chance() -> None:
    d, seat, belief = next(moments(load("prsi"), 2, "again"))
    position = belief.position(d.view(seat))
    rng, same = random.Random(5), random.Random(5)
    hands = [position.guess(rng).hands for _ in range(5)]
    assert hands == [position.guess(same).hands for _ in range(5)]
    assert hands[0] != hands[1]


def test_a_belief_that_has_not_seen_everything_says_so() -> None:
    rules = load("prsi")
    d = deal(rules, 2, "half")
    while len(d.log) < 6:
        d.apply(d.to_act[0], d.legal(d.to_act[0])[0])
    belief = Belief(rules, 2, d.to_act[0])
    belief.see(d.seen(d.to_act[0], 4))
    with pytest.raises(BadGuess, match="all that its seat has seen"):
        belief.position(d.view(d.to_act[0]))


def test_before_the_cards_are_dealt_there_is_nothing_to_guess() -> None:
    d, seat, belief = next(moments(load("mau_mau"), 2, "cut"))
    assert d.asks == "keep"
    with pytest.raises(BadGuess, match="of kind keep"):
        belief.position(d.view(seat))


def has_places(variant: str) -> bool:
    """Return True if the variant can be played for places."""
    with suppress(BadOption):
        return load(variant, places=True).flag("places")
    return False


SCHWEIZER = {"schweizer", "schweizer_2016"}  # windows out of turn hang on more than a seat has seen
PLACED = sorted(name for name in {*variants()} - SCHWEIZER - {"prsi_blind"} if has_places(name))


@pytest.mark.long
@pytest.mark.parametrize("variant", one_of(4, sorted({*variants()} - SCHWEIZER - {"prsi_blind"})))
def test_with_the_cards_as_they_lie_a_guessed_deal_goes_on_as_the_true_one(variant: str) -> None:
    """Nothing but the hidden cards is guessed: turns, penalties, wishes, calls and the end are as theyare."""
    rng, compared = random.Random(variant), 0
    for seats in (2, 3):
        for number in range(2):
            for d, seat, belief in moments(load(variant), seats, f"on {number}"):
                if d.asks != "keep":
                    guess = belief.position(d.view(seat)).guess(rng)
                    assert shown(guess, seat) == shown(d, seat)
                    _same_to_the_end(_with_the_cards_of(d, guess), d.copy(), rng)
                    compared += 1
    assert compared > 40


def _with_the_cards_of(d: Deal, guess: Deal) -> Deal:
    """Return the guess with the hands and the stock of the deal, and its chance."""
    guess.hands, guess.stock = d.hands[:], d.stock
    guess.epoch, guess.at = d.epoch, d.at[:]
    calls = edit_calls(guess)
    calls.said = [0 if hand & hand - 1 or seat == calls.owing else hand for seat, hand in enumerate(d.hands)]
    return guess


def _same_to_the_end(guess: Deal, d: Deal, rng: random.Random, most: int = 20) -> None:
    for _ in range(most):
        if d.over:
            assert (guess.over, guess.places, guess.points) == (True, d.places, d.points)
            return
        assert (guess.to_act, guess.asks) == (d.to_act, d.asks)
        seat = d.to_act[0]
        told, truth = shown(guess, seat), shown(d, seat)
        assert told | {"events": []} == truth | {"events": []}
        action = rng.choice(d.legal(seat))
        action += d.due(seat, action)
        d.apply(seat, action)
        guess.apply(seat, action)


@pytest.mark.long
@pytest.mark.parametrize("variant", one_of(4, variants()))
def test_a_view_gives_deals_like_it_and_the_cards_it_has_not_seen(variant: str) -> None:
    asked: list[bool] = []

    class Searcher(Bot):
        def act(self, view: View) -> str:
            action: str = self.rng.choice(view.legal)
            try:
                deal = view.deal_like_this(self.rng)
                hidden = sum(view.counts) - view.counts[view.seat] + view.stock
                assert len(view.unseen) == hidden
                others = {
                    name for s, hand in enumerate(deal.hands) if s != view.seat for name in list_names(hand)
                }
                assert others <= set(view.unseen)
                assert [str(action) for action in deal.legal(view.seat)] == view.legal
                twin = deal.copy()
                twin.apply(view.seat, action)
                assert deal.view(view.seat).events == self.history
                asked.append(True)
            except BadGuess:
                assert view.ask in {"keep", "window"} or variant in {"prsi_blind", *SCHWEIZER}
            return action

    rules = load(variant)
    for seats in (2, 3):
        for number in range(3):
            assert play_inside(rules, [Searcher] * seats, f"like {number}").over
    assert len(asked) > 20 or variant == "prsi_blind"


def test_a_view_of_nobody_knows_nothing() -> None:
    with pytest.raises(BadGuess, match="only a view that `act` was called with"):
        _ = View().unseen


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "variant", sorted(name for name in {*variants()} - SCHWEIZER - {"prsi_blind"} if has_places(name))
)
def test_a_guessed_deal_has_the_winner_and_the_faults_of_the_true_one(variant: str) -> None:
    """Not the first one out, if that one has forfeited: before or after going out."""
    rules, rng, compared = load(variant, places=True), random.Random(variant), 0
    for number in range(8):
        for d, seat, belief in moments(rules, 4, f"lost {number}"):
            if d.asks in DEALT and d.out:
                guess = belief.position(d.view(seat)).guess(rng)
                assert (guess.winner, guess.faults) == (d.winner, d.faults)
                assert guess.features.last_cards == d.features.last_cards
                compared += 1
            if rng.random() < 0.05:
                d.forfeit(rng.choice(d.out or range(4)), "left")
    assert compared
