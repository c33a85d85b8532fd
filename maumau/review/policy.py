"""The policy of a review's playouts: that of `rollout`, a fixed order of ranks, and one step more careful.

A seat that can go out does. A call that is due is made, and one that was forgotten is always punished.
"""

from __future__ import annotations

from random import Random
from typing import Final

from maumau.game.deal import Deal
from maumau.game.notation.action import SEATS, Action
from maumau.game.notation.cards import merge_copies
from maumau.game.playout import load_preference
from maumau.game.table.window import is_window_busy

LIE: Final = 0.35  # how often a false claim is made, rather than a card drawn, where no true one is possible
DOUBT, LAST_DOUBT = 0.15, 0.5  # how often a claim is doubted, and the claim of a last card


class Policy:
    """The choices of all seats in playouts of one table."""

    def __init__(self, d: Deal) -> None:
        self.preference = load_preference(d.rules.name)
        self.is_blind = d.compiled.blind.applies
        self.is_judged = d.compiled.law.applies or d.compiled.accuse
        self.lays_sets = d.compiled.has_card_sets

    def step(self, d: Deal, rng: Random) -> None:
        """Play one action: of the seat that must decide, or an accusation that is right."""
        if self.is_judged:
            for seat, text in list_right_accusations(d):
                d.apply(seat, text)
                return
        seat = d.to_act[0]
        action = self.choose(d, seat, rng)
        call = d.due(seat, action)
        d.apply(seat, action + call if call else action)

    def choose(self, d: Deal, seat: int, rng: Random) -> Action:
        """Return the action of the seat that must decide."""
        if seat != d.seat:  # a reaction out of turn
            return self._choose_reaction(d, seat, rng)
        if self.is_blind:
            return self._choose_claim(d, seat, rng)
        if self.lays_sets:
            size = d.hands[seat].bit_count()
            last = next((action for action in d.menu.actions if len(action.cards) == size), None)
            if last is not None and not last.word:
                return last
        return self.preference.choose(d, seat, d.menu, rng.random)

    def _choose_reaction(self, d: Deal, seat: int, rng: Random) -> Action:
        legal = d.legal(seat)
        if d.asks == "react":
            return rng.choice(legal)
        return max(legal, key=self.preference.rate)

    def _choose_claim(self, d: Deal, seat: int, rng: Random) -> Action:
        """Return a true claim where there is one; else a lie or a word. Doubt more what wins the deal."""
        actions = d.menu.actions
        claimed = d.features.claimed
        if claimed is not None:
            held = merge_copies(d.hands[seat]) >> claimed.action.claim & 1
            sure = held and d.compiled.pack.copies == 1
            often = DOUBT if d.hands[claimed.seat] else LAST_DOUBT
            return actions[1] if sure or rng.random() < often else actions[0]
        true = [action for action in actions if not action.word and action.claim == action.cards[0]]
        words = [action for action in actions if action.word]
        if true:
            best = max(map(self.preference.rate, true))
            return rng.choice([action for action in true if self.preference.rate(action) == best])
        return rng.choice(words if words and rng.random() >= LIE else actions)


def list_right_accusations(d: Deal) -> list[tuple[int, str]]:
    """Return the accusations that would be right now, as (accuser, action), by the first seat that may."""
    if d.over or is_window_busy(d) or d.asks in ("appeal", "vote", "react"):
        return []
    if d.compiled.law.applies:
        found = [(one.seat, one.kind) for one in d.court.guilt]
    else:
        found = [(at, kinds[0]) for at, kinds in d.calls.missed.items() if d.calls.owing != at and kinds]
    right = []
    for accused, kind in found:
        others = [other for other in range(d.seats) if other != accused and d.active >> other & 1]
        text = f"accuse@{SEATS[accused]}:{kind}"
        right += [(other, text) for other in others[:1] if text in d.also(other)]
    return right
