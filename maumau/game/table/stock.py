"""The stock: drawing from it, and shuffling the pile when it is empty.

A draw is uniform on the stock. In each epoch (from one shuffle to the next) every seat has its own
permutation of the cards that were in the stock when the epoch began; it draws the first of them that is
still there. In a deal by hand the first epoch is a list, drawn from the top.
"""

from __future__ import annotations

from maumau.game.model.chance import ShuffleEpoch
from maumau.game.model.state import State
from maumau.game.notation.event import Secret


def get_pile(d: State) -> int:
    """Return the cards under the top card, except a claimed one and an open chain where it stays."""
    held = d.stock | d.topmost | d.chain | d.court.lying
    for feature in d.compiled.hooks.hold_cards:
        held |= feature.hold_cards(d)
    for hand in d.hands:
        held |= hand
    return d.made.full & ~held


def can_draw(d: State) -> bool:
    """Return True if a card can be drawn, after a shuffle if necessary."""
    return bool(d.stock or get_pile(d))


def shuffle_pile(d: State) -> bool:
    """Shuffle the pile (except for the topmost card) into a new stock; return False if there is none."""
    found = get_pile(d)
    if not found:
        return False
    d.stock = found
    seats = d.compiled.seats
    d.epoch = ShuffleEpoch(d.epoch.number + 1, found, seats, d.epoch.seed)
    d.at = [0] * seats
    d.log.append(f"shuffle {found.bit_count()}")
    return True


def draw_card(d: State, seat: int) -> int:
    """Move one card from the stock to the seat's hand and return it, or 0 if there is none."""
    left = d.stock
    if not left:
        if not shuffle_pile(d):
            return 0
        left = d.stock
    epoch = d.epoch
    if epoch.order:  # all seats draw from one list, the place in which is kept as if it were the first one's
        bit = epoch.order[d.at[0]]
        d.at[0] += 1
    else:  # the first card of the seat's permutation that is still in the stock
        perm = epoch.perms[seat] or epoch.permutation(seat, d.compiled.pack.deck)
        bit = perm.next(d.at, seat, left)
    d.stock = left ^ bit
    d.hands[seat] |= bit
    return bit


def refill_stock(d: State) -> None:
    """Shuffle the pile as soon as the stock is empty, in variants that do not wait for the next draw."""
    if d.compiled.drawing.when_empty and not d.stock:
        shuffle_pile(d)


def take_cards(d: State, seat: int, count: int) -> int:
    """Draw this many cards, or as many as there are (the rest lapses); return the number drawn."""
    drawn = gather_cards(d, seat, count)
    refill_stock(d)
    return drawn


def gather_cards(d: State, seat: int, count: int) -> int:
    """Draw cards without refilling the stock afterwards; return the number drawn."""
    drawn = []
    for _ in range(count):
        bit = draw_card(d, seat)
        if not bit:
            break
        drawn.append(bit)
    log_taken_cards(d, seat, drawn)
    return len(drawn)


def log_taken_cards(d: State, seat: int, drawn: list[int]) -> None:
    """Log that a seat has taken these cards."""
    if drawn:
        d.log.append(Secret(seat, drawn))
