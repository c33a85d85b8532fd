"""A real question of every kind: the table's own messages, from random deals in which it occurs.

They are the examples of docs/reference/protocol.md, and the questions of `maumau conformance`.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from maumau.errors import BadOrder
from maumau.game import Deal, Rules, bot_seed, deal, load, load_text
from maumau.protocol import message
from maumau.protocol.manifest import Manifest

BANK = 10.0  # seconds, said in every message
STEPS = 400  # of a deal
DEALS = 500
TALKS, CALLS = 0.4, 0.8  # probabilities of making a late call that is open, and a call that is owed

# for each kind: variant, options, seats, and the number of a deal in which it occurs early
RECIPES: dict[str, tuple[str, dict[str, Any], int, int]] = {
    "turn": ("prsi", {}, 3, 1),
    "answer": ("prsi", {}, 3, 6),
    "cover": ("mau_mau", {}, 2, 63),
    "again": ("pesten", {}, 3, 1),
    "keep": ("mau_mau", {}, 2, 0),
    "wish": ("app", {}, 3, 2),
    "doubt": ("prsi_blind", {}, 3, 0),
    "rescue": ("faraon", {"draw_rescue": True}, 3, 33),
    "window": ("mau_mau", {"detection": "accuse"}, 3, 2),
    "chain": ("schweizer", {}, 3, 157),
    "appeal": ("schweizer", {}, 4, 90),
    "react": ("schweizer", {"pimperle": "TD"}, 3, 0),
    "vote": ("schweizer", {}, 4, 72),
}

OWN_VARIANT = """
title = "Prší with sevens that take three cards"
source = "maumau conformance"
extends = "prsi"
[options]
seven_n = { least = 3, most = 3, default = 3 }
"""


class Sample(msgspec.Struct, frozen=True):
    """A question in its deal: `deal` is at the decision, `seat` must decide.

    `told` is the number of events before this seat's previous question.
    """

    kind: str
    deal: Deal
    seat: int
    seed: str
    told: int = 0

    @property
    def rules(self) -> str:
        """The variant's name."""
        return self.deal.rules.name

    def suits(self, manifest: Manifest) -> bool:
        """Return True if a program with this manifest may be asked this question."""
        named = manifest.rules is None or self.rules in manifest.rules
        return named and (manifest.seats is None or self.deal.seats in manifest.seats)

    def hello(self, concurrent: int = 1) -> bytes:
        """Return the first line of a process that is asked this."""
        rules = self.deal.rules
        return message.write_hello(rules, rules.chosen, self.deal.seats, self.seat, BANK, concurrent)

    def ask(self, number: int = 17) -> bytes:
        """Return the question, as the first one of deal `number`."""
        rng = bot_seed(self.seed, self.seat)
        return message.write_question(self.deal.view(self.seat), number, rng, int(BANK * 1000))

    def later(self, number: int = 17) -> bytes:
        """Return the question as it comes in mid-deal, with the events that the seat has not seen yet."""
        return message.write_question(self.deal.view(self.seat, self.told), number, "", int(BANK * 1000))

    def end(self, number: int = 17, fault: str | None = None) -> bytes:
        """Return the end of this deal if every seat plays its first legal action from here on."""
        twin, begin = self.deal.copy(), len(self.deal.log)
        for seat in _list_acting_seats(twin):
            action = twin.legal(seat)[0]
            twin.apply(seat, action + twin.due(seat, action))
        return message.write_end(number, twin.places, twin.points, twin.seen(self.seat, begin), fault)


def find_sample(kind: str) -> Sample:
    """Return a question of this kind; raise BadOrder if no variant asks it."""
    if kind not in RECIPES:
        raise BadOrder(f"no variant asks a question of kind {kind!r}; known: {', '.join(RECIPES)}")
    name, options, seats, first = RECIPES[kind]
    return _find_first_sample(kind, load(name, **options), seats, first)


def sample_own_variant() -> Sample:
    """Return a turn in a custom variant: its hello has the complete rules."""
    return _find_first_sample("turn", load_text("conformance", OWN_VARIANT), 2, 1)


def _find_first_sample(kind: str, rules: Rules, seats: int, first: int) -> Sample:
    """Return the first question of a kind, from deal number `first` on."""
    for number in range(first, first + DEALS):
        seed = f"{kind} {number}"
        told = [0] * seats
        for d, seat in iterate_decisions(deal(rules, seats, seed), Random(seed)):  # noqa: S311  # a game
            if d.asks == kind and (len(d.legal(seat)) > 1 or d.also(seat)):
                return Sample(kind, d.copy(), seat, seed, told[seat])
            told[seat] = len(d.log)
    raise BadOrder(f"in {DEALS} deals of {rules.name} no question of kind {kind} came")


def iterate_decisions(d: Deal, rng: Random) -> Iterator[tuple[Deal, int]]:
    """Yield every decision of a random deal: some calls are forgotten, some late, and seats are accused."""
    for _ in range(STEPS):
        if d.over:
            return
        for seat in d.to_act:
            yield d, seat
        seat = rng.choice(d.to_act)
        late = [(who, text) for who in range(d.seats) for text in d.also(who)]
        if late and rng.random() < TALKS:
            who, text = rng.choice(late)
            if d.allows(who, text):
                d.apply(who, text)
                continue
        action = rng.choice(d.legal(seat))
        d.apply(seat, action + d.due(seat, action) if rng.random() < CALLS else action)


def _list_acting_seats(d: Deal) -> Iterator[int]:
    while not d.over:
        yield d.to_act[0]
