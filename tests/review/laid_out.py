"""Deals laid out by hand, their twins with other hidden cards, and their records."""

from __future__ import annotations

import random
from typing import NamedTuple

import msgspec

from maumau.errors import MaumauError
from maumau.game import Deal, deal, deal_by_hand, load, record
from maumau.game.notation.cards import NAMES, STRIDE
from maumau.game.replay import replay_stages
from maumau.review.policy import Policy
from maumau.review.review import Review, review_deal


class Laid(NamedTuple):
    """The cards of a deal: those of each seat, the one turned up, the stock from its top."""

    variant: str
    hands: list[list[str]]
    up: str
    stock: list[str]

    def deal(self) -> Deal:
        hands = {seat: " ".join(hand) for seat, hand in enumerate(self.hands)}
        return deal_by_hand(load(self.variant), hands, self.up, " ".join(self.stock), seed="twins")


def shuffle_out(variant: str, seats: int, number: int) -> Laid:
    """Return a deal as it could be dealt."""
    rng = random.Random(f"{variant} {seats} {number}")
    d = deal(load(variant), seats, f"{number}")
    pack = [NAMES[(card.bit_length() - 1) % STRIDE] for card in d.compiled.pack.deck]
    rng.shuffle(pack)
    size = d.compiled.pack.hand
    return Laid(
        variant,
        [pack[seat * size : (seat + 1) * size] for seat in range(seats)],
        pack[seats * size],
        pack[seats * size + 1 :],
    )


def play_somehow(laid: Laid, number: int) -> list[tuple[int, str]]:
    """Return the actions of a deal to its end: most of them as playouts have them, some by chance."""
    d, rng, done = laid.deal(), random.Random(number), []
    policy = Policy(d)
    while not d.over:
        seat = rng.choice(d.to_act)
        action = policy.choose(d, seat, rng) if rng.random() < 0.7 else rng.choice(d.legal(seat))
        text = str(action + d.due(seat, action)) if rng.random() < 0.9 else str(action)
        d.apply(seat, text)
        done.append((seat, text))
    return done


def swap_hidden(laid: Laid, seat: int, rng: random.Random) -> Laid:
    """Return the deal with two cards exchanged that the seat is not dealt."""
    places = [(other, i) for other, hand in enumerate(laid.hands) if other != seat for i in range(len(hand))]
    places += [(-1, i) for i in range(len(laid.stock))]
    (row, i), (other, j) = rng.sample(places, 2)
    piles = [[*hand] for hand in laid.hands] + [[*laid.stock]]
    piles[row][i], piles[other][j] = piles[other][j], piles[row][i]
    return laid._replace(hands=piles[:-1], stock=piles[-1])


def are_alike(first: Laid, second: Laid, done: list[tuple[int, str]], seat: int) -> bool:
    """Return True if the seat sees the same in both deals when the same is done in them."""
    one, two = first.deal(), second.deal()
    for who, text in done:
        if one.seen(seat) != two.seen(seat) or msgspec.to_builtins(one.view(seat)) != msgspec.to_builtins(
            two.view(seat)
        ):
            return False
        one.apply(who, text)
        try:
            two.apply(who, text)
        except MaumauError:
            return False
    return two.over and one.seen(seat) == two.seen(seat)


def write_record(laid: Laid, done: list[tuple[int, str]]) -> str:
    d = laid.deal()
    for seat, text in done:
        d.apply(seat, text)
    return record(d)


def review_text(text: str, seat: int, seconds: float, seed: str = "") -> Review:
    return review_deal(replay_stages(text), seat, seconds=seconds, seed=seed)
