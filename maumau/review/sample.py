"""Samples: full deals that agree with what one seat has seen, at any kind of decision.

A sample is a copy of the real deal in which every card that the seat cannot see is placed anew. Nothing
hidden of the real deal is left in it: two deals that look alike to the seat give the same samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from maumau.game.deal import Deal
from maumau.game.guess import Belief
from maumau.game.legal.decision import refresh_decision
from maumau.game.model.chance import Seed, ShuffleEpoch
from maumau.game.model.court import Court, Violation
from maumau.game.model.state import NOBODY, Claim, Made, Window, edit_calls, edit_features
from maumau.game.notation.action import parse
from maumau.game.notation.cards import NAMES, STRIDE, merge_copies, split_cards
from maumau.game.table.stock import get_pile

TRUTH: Final = 0.75  # share of the claims that are taken to be true, where the card may still be somewhere
REFRESHED: Final = ("turn", "answer")  # decisions of others that can be asked again with other cards


class Face(NamedTuple):
    """The cards laid face down as a seat knows them: the known ones on the pile, and claims of the others."""

    known: int = 0
    claims: Sequence[int] = ()


class Sampler:
    """Samples for one seat at one moment of a deal.

    belief: what the seat has seen until then. face: where cards are laid face down.
    """

    def __init__(self, d: Deal, seat: int, belief: Belief, face: Face | None = None) -> None:
        self.seat = seat
        self.face = face
        self.base = base = d.copy()
        self.called = [hand != 0 and said == hand for hand, said in zip(d.hands, d.calls.said, strict=True)]
        self.is_before_dealing = d.asks == "keep"
        laid = get_pile(d) | d.topmost | d.chain
        claimed = d.features.claimed
        if claimed is not None and claimed.seat == seat:
            laid |= claimed.card
        self.is_top_known = face is None or bool(d.topmost & face.known)
        seen = d.hands[seat] | (laid if face is None else laid & face.known)
        hidden = sum(d.made.cut) if self.is_before_dealing else seen
        self.hidden = sorted(split_cards(d.made.full & ~hidden), key=lambda bit: ((_code_of(bit)), bit))
        self.known, self.slots = self._list_held(d, belief)
        self._forget_unknown(base)

    @property
    def can_be_sampled(self) -> bool:
        """False while others are asked what depends on their cards, except for their turns."""
        d = self.base
        in_round = d.features.queens != NOBODY
        return self.seat in d.to_act or (d.window is None and not in_round and d.asks in REFRESHED)

    def sample(self, rng: Random) -> Deal:
        """Return a deal with the hidden cards in one possible order, each time another one."""
        pool = self.hidden[:]
        rng.shuffle(pool)
        d = self.base.copy()
        seed = Seed(repr(rng.random()))
        if self.is_before_dealing:
            _deal_anew(d, pool, seed)
            return d
        self._place_hidden(d, pool, rng)
        d.stock = sum(pool)
        d.epoch = ShuffleEpoch(0, d.stock, d.seats, seed, tuple(pool))
        if d.court.guilt:
            d.court.guilt = tuple(_forget_before(one, d) for one in d.court.guilt)
        if self.seat not in d.to_act:
            refresh_decision(d, d.seat)
        return d

    def _place_hidden(self, d: Deal, pool: list[int], rng: Random) -> None:
        """Place the cards that are not in the stock."""
        for seat, code in self.known:
            d.hands[seat] |= _pop_card(pool, code)
        if self.face is not None:
            self._place_laid(d, pool, rng)
        for seat, slot in self.slots:
            place = next((i for i, bit in enumerate(pool) if not merge_copies(bit) & slot), 0)
            d.hands[seat] |= pool.pop(place)
        calls = edit_calls(d)
        for seat, hand in enumerate(d.hands):
            if seat != self.seat:
                calls.said[seat] = hand if self.called[seat] else 0
        if d.compiled.law.applies:
            _place_penalty_cards(d.court, pool)

    def _place_laid(self, d: Deal, pool: list[int], rng: Random) -> None:
        """Place what lies face down: most claims are true where they can be."""
        bit = 0
        for claim in self.face.claims if self.face else ():
            bit = _pop_card(pool, claim if rng.random() < TRUTH else -1)
        if not self.is_top_known:
            d.topmost = bit
        laid = d.features.claimed
        if laid is not None and laid.seat != self.seat:
            bit = _pop_card(pool, laid.action.claim if rng.random() < TRUTH else -1)
            action = parse(f"{NAMES[_code_of(bit)]}{laid.action.text[2:]}")
            edit_features(d).claimed = Claim(laid.seat, bit, action, laid.move, laid.asks, laid.menu)

    def _list_held(self, d: Deal, belief: Belief) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return the cards in the others' hands: those known, as (seat, code), and the rest.

        The rest are (seat, kinds that the card cannot be), the most limited first.
        """
        known: list[tuple[int, int]] = []
        slots: list[tuple[int, int]] = []
        for seat, hand in enumerate(d.hands):
            if seat != self.seat and hand:
                shown = belief.known[seat][: hand.bit_count()]
                need = hand.bit_count() - len(shown)
                limits = belief.slots[seat][:need]
                known += [(seat, code) for code in shown]
                slots += [(seat, slot) for slot in [*limits, *[0] * (need - len(limits))]]
        return known, sorted(slots, key=lambda pair: -pair[1].bit_count())

    def _forget_unknown(self, d: Deal) -> None:
        """Take out of the deal what its seat cannot know, and what only lengthens copies."""
        d.hands = [hand if seat == self.seat else 0 for seat, hand in enumerate(d.hands)]
        d.left = max(1, d.compiled.most - len(d.log))
        if self.is_before_dealing:
            d.log = list(d.seen(self.seat))
            return
        d.log, d.at = ["sampled"], [0] * d.seats
        d.chain &= -1 if self.face is None else self.face.known
        if d.compiled.law.applies:
            d.court.quiet = (0, 0)
        if d.window is not None and self.seat in d.to_act:
            d.window = _open_again(d.window, self.seat)
            d.to_act = tuple(d.window.menus)


def _open_again(window: Window, seat: int) -> Window:
    """Return a window before any reply, for this seat alone if what the others may do shows their cards."""
    own = window.menus[seat]
    is_public = all(menu.actions == own.actions for menu in window.menus.values()) and not any(
        action.cards for action in own.actions
    )
    again = Window(window.opener, window.menus if is_public else {seat: own})
    again.asked, again.turn = window.asked, window.turn
    return again


def _forget_before(violation: Violation, d: Deal) -> Violation:
    """Return the violation with a state before it that has the sampled calls."""
    if violation.before is None:
        return violation
    again = Violation(violation.seat, violation.kind, violation.turns, violation.zug)
    again.card, again.before = violation.card, Deal()
    again.before.fill(violation.before)
    edit_calls(again.before).said = d.calls.said[:]
    again.before.epoch = d.epoch
    return again


def _place_penalty_cards(court: Court, pool: list[int]) -> None:
    court.side = [tuple((zug, pool.pop()) for zug, _ in lying) for lying in court.side]
    court.ripe = [sum(pool.pop() for _ in range(ripe.bit_count())) for ripe in court.ripe]
    court.lying = sum(court.ripe) + sum(bit for lying in court.side for _, bit in lying)


def _deal_anew(d: Deal, pool: list[int], seed: Seed) -> None:
    """Deal again before a cut is kept; cards that were turned up and refused stay in the stock."""
    refused = {event[8:] for event in d.log if isinstance(event, str) and event.startswith("refused ")}
    pool.sort(key=lambda bit: NAMES[_code_of(bit)] in refused)
    again, old = Made(), d.made
    again.by_hand, again.first, again.full = old.by_hand, old.first, old.full
    again.sizes, again.totals, again.lives, again.cut = old.sizes, old.totals, old.lives, old.cut
    again.dealt = [[pool.pop(0) for _ in hand] for hand in old.dealt]
    ordinary = d.compiled.dealing.start == "redraw_special"
    place = next(
        (i for i, bit in enumerate(pool) if not (ordinary and bit & d.compiled.masks.significant_cards)), 0
    )
    again.up = pool.pop(place)
    d.made = again
    again.laid = tuple(pool) if again.by_hand else ()
    d.epoch = ShuffleEpoch(0, 0, 0, seed, again.laid)


def _pop_card(pool: list[int], code: int) -> int:
    """Take the first card of this kind, or the first of all where there is none."""
    return pool.pop(next((i for i, bit in enumerate(pool) if _code_of(bit) == code), 0))


def _code_of(card: int) -> int:
    return (card.bit_length() - 1) % STRIDE
