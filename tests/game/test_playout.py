"""Playouts inside the engine are the deals that `legal`, `due` and `apply` give, decision by decision."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import isclose

import pytest
from hypothesis import given

from maumau.game import Action, Deal, deal, deal_by_hand, load, variants
from maumau.game.model.chance import shuffle_cards
from maumau.game.notation.cards import SUITS, suit_mask
from maumau.game.playout import RANDOM, Preference, Trial
from tests.game.play import dealt, numbered
from tests.support.kinds import one_of

Choice = Callable[[Deal, int, random.Random], Action]
ORDERS = ("8*A7", "*A7", "*87", "*")
TABLES = [
    (name, seats) for name in variants() for seats in range(load(name).seats[0], load(name).seats[1] + 1)
]


def play_slowly(d: Deal, choose: Choice, rng: random.Random, most: int = 0) -> tuple[int, int]:
    """Play on through the public methods; return the actions, and those listed with them on turn."""
    played = listed = 0
    while not d.over and (not most or played < most):
        seat = d.to_act[0]
        listed += len(d.legal(seat)) if seat == d.seat else 0
        action = choose(d, seat, rng)
        d.apply(seat, action + d.due(seat, action))
        played += 1
    return played, listed


def take_any(d: Deal, seat: int, rng: random.Random) -> Action:
    listed = d.legal(seat)
    return listed[int(rng.random() * len(listed))]


def prefer(order: str) -> Choice:
    """Return the choice of the first cards by an order, then wild ones, then words, worked out each time."""

    def rate(action: Action) -> float:
        if action.word:
            return -1
        if action.wish >= 0:
            return 0
        rank = action.text[0] if action.text[0] in order else "*"
        return 1 - order.index(rank) / len(order)

    def choose(d: Deal, seat: int, _rng: random.Random) -> Action:
        best = max(d.legal(seat), key=rate)
        if seat != d.seat or best.wish < 0:
            return best
        held = [(d.hands[seat] & suit_mask(suit)).bit_count() for suit in range(len(SUITS))]
        wishes = [action for action in d.legal(seat) if action.cards == best.cards and action.wish >= 0]
        return max(wishes, key=lambda action: held[action.wish])

    return choose


def state(d: Deal) -> tuple[object, ...]:
    """Return all of a deal that its players, its record and its end depend on."""
    end = (d.places, d.points, d.stats) if d.over else (d.seat, d.legal(d.to_act[0]))
    return d.events, d.hands, d.stock, d.top, d.wish, d.owed, d.skips, d.direction, d.out, d.left, end


def agrees(d: Deal, number: int, most: int = 0) -> None:
    """Require the deal of the slow way from the same chance, of every kind of policy."""
    order = ORDERS[number % len(ORDERS)]
    for policy, choose in ((RANDOM, take_any), (Preference(order), prefer(order))):
        slow, fast = d.copy(), d.copy()
        rng, same = random.Random(number), random.Random(number)
        assert play_slowly(slow, choose, rng, most) == fast.play_out(same, policy, most)
        assert state(fast) == state(slow)
        assert same.getstate() == rng.getstate()


@pytest.mark.parametrize(("variant", "seats"), TABLES)
def test_a_playout_is_the_deal_of_the_slow_way(variant: str, seats: int) -> None:
    agrees(deal(load(variant), seats, f"{seats}"), seats)


@pytest.mark.long
@pytest.mark.parametrize(("variant", "seats"), TABLES)
def test_many_playouts_are_those_of_the_slow_way(variant: str, seats: int) -> None:
    for number in range(5):
        agrees(deal(load(variant), seats, f"long {number}"), number, number % 3 * 12)


@given(numbered)
def test_a_playout_from_any_moment_with_any_options_is_the_deal_of_the_slow_way(
    number: tuple[str, int],
) -> None:
    d, rng = dealt(*number)
    play_slowly(d, take_any, rng, rng.randrange(1, 60))
    agrees(d, number[1], rng.choice([0, 1, 11]))


def test_many_are_played_from_one_stream_and_leave_the_deal_as_it_is() -> None:
    d = deal(load("mau_mau"), 4, "many")
    before, rng, same = state(d), random.Random(7), random.Random(7)
    played = d.play_out_many(20, rng)
    assert state(d) == before
    twins = [d.copy() for _ in range(20)]
    for twin in twins:
        play_slowly(twin, take_any, same)
    assert [state(twin) for twin in played] == [state(twin) for twin in twins]
    assert len({twin.winner for twin in played}) > 1
    assert d.play_out_many(0, rng) == []


def test_a_deal_that_is_over_has_nothing_left_to_play() -> None:
    d = deal(load("prsi"), 2, "over")
    d.play_out(random.Random(1))
    assert d.over
    assert d.play_out(random.Random(1)) == (0, 0)


@pytest.mark.parametrize("size", [*range(35), 63, 64, 65, 127, 128, 129, 254, 255])
def test_cards_are_shuffled_as_the_standard_library_does(size: int) -> None:
    cards, same = list(range(size)), list(range(size))
    rng, other = random.Random(size), random.Random(size)
    shuffle_cards(cards, rng)
    other.shuffle(same)
    assert cards == same
    assert rng.getstate() == other.getstate()


# --- trials ----------------------------------------------------------------------------------------------


STOCK = "JC QD JD KD AC"


@pytest.mark.parametrize(
    ("hands", "worth", "played"),
    [
        ({0: "8H", 1: "9H TC"}, 1 + 0.08 * 2, 0),  # its last card wins; the other has two left
        ({0: "8H TC KC", 1: "9H"}, 0 - 0.08 * 2, 1),  # the other's last card wins; it has two left
        (
            {0: "8H TC 9C", 1: "9D KS", 2: "8C TH TD"},
            1 / 3 + 0.08 * (3 - 2),
            1,
        ),  # the next one draws
    ],
)
def test_a_trial_judges_what_comes_of_an_action(hands: dict[int, str], worth: float, played: int) -> None:
    d = deal_by_hand(load("prsi"), hands, "8S", STOCK)
    before, lay = state(d), d.legal(0)[0]
    assert str(lay) == "8H"
    tried = Trial(0, Preference("*"), 1, 0.08, 6)
    found = tried.judge_action(d, lay, random.Random(1))
    assert state(d) == before
    assert isclose(found, worth)
    assert tried.played == played


@pytest.mark.parametrize("variant", one_of(4, variants()))
def test_a_trial_is_one_action_and_then_a_playout(variant: str) -> None:
    rules = load(variant)
    for number in range(10):
        d, rng = deal(rules, 3, f"trial {number}"), random.Random(number)
        play_slowly(d, take_any, rng, rng.randrange(1, 30))
        if d.over or d.seat < 0:
            continue
        seat, action = d.seat, d.legal(d.seat)[0]
        tried = Trial(seat, Preference("*"), 11, 0.08, 6)
        tried.judge_action(d, action, rng)
        after = d.copy()
        after.apply(seat, action + after.due(seat, action))
        assert (tried.played, tried.listed) == after.play_out(rng, Preference("*"), 11)
