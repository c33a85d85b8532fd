"""The stock: drawing from it, and shuffling the pile when it is empty.

A draw is uniform on the stock. In each epoch (from one shuffle to the next) every seat has its own
permutation of the cards that were in the stock when the epoch began; it draws the first of them that is
still there. In a deal by hand the first epoch is a list, drawn from the top.
"""

from __future__ import annotations

from maumau.game.chance import Epoch
from maumau.game.event import Secret
from maumau.game.state import State


def get_pile(d: State) -> int:
    """The cards that lie under the top card, but for a claimed one and an open chain where it stays."""
    held = d.stock | d.topmost | d.chain
    if d.claimed is not None:
        held |= d.claimed.card
    if d.court is not None:
        held |= d.court.lying
    for hand in d.hands:
        held |= hand
    return d.full & ~held


def can_draw(d: State) -> bool:
    """Whether a card can be drawn, if need be after a shuffle."""
    return bool(d.stock or get_pile(d))


def shuffle_pile(d: State) -> bool:
    """The playing stack (except for the topmost card) is shuffled and turned over; False if there is none."""
    found = get_pile(d)
    if not found:
        return False
    d.stock = found
    d.order = ()
    d.epoch = Epoch(d.epoch.number + 1, found, d.seats)
    d.at = [0] * d.seats
    d.log.append(f"shuffle {found.bit_count()}")
    return True


def draw_card(d: State, seat: int) -> int:
    """Move one card from the stock to the seat's hand; the card, or 0 if there is none."""
    left = d.stock
    if not left:
        if not shuffle_pile(d):
            return 0
        left = d.stock
    if d.order:
        bit = d.order[d.next_card]
        d.next_card += 1
    else:  # the first card of the seat's permutation that is still in the stock
        perm = d.epoch.perms[seat] or d.epoch.permutation(d.seed, seat, d.compiled.deck)
        bit = perm.next(d.at, seat, left)
    d.stock = left ^ bit
    d.hands[seat] |= bit
    return bit


def refill_stock(d: State) -> None:
    """Where the pile is shuffled as soon as the stock is empty, and not when the next card is drawn."""
    if d.compiled.when_empty and not d.stock:
        shuffle_pile(d)


def take_cards(d: State, seat: int, count: int) -> int:
    """Draw this many cards, or as many as there are: what is missing lapses. How many were drawn."""
    drawn = gather_cards(d, seat, count)
    refill_stock(d)
    return drawn


def gather_cards(d: State, seat: int, count: int) -> int:
    """The same, the pile as yet not shuffled."""
    drawn = []
    for _ in range(count):
        bit = draw_card(d, seat)
        if not bit:
            break
        drawn.append(bit)
    log_taken_cards(d, seat, drawn)
    return len(drawn)


def log_taken_cards(d: State, seat: int, drawn: list[int]) -> None:
    """Say that a seat has taken these cards."""
    if drawn:
        d.log.append(Secret(seat, drawn))
