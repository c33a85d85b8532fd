"""Calls: the words that must be said with one card left and with the last card, and what forgetting costs.

The window of a call is open until another seat acts, or it is the play itself. A call that is not needed
costs nothing. A call made with a draw is made on seeing the card: either word counts as the right one.
Where calls are watched over by the players (`detection: accuse`) a missed one costs only who is accused.
"""

from __future__ import annotations

from typing import Final

from maumau.game import accuse as accusing
from maumau.game import mau, stock
from maumau.game.action import SEATS, Action
from maumau.game.cards import STRIDE
from maumau.game.event import Exchanged, Secret
from maumau.game.move import Move
from maumau.game.state import NOBODY, State
from maumau.game.table import LAST, Word

MARKS: Final = ("", "!", "!!")


def single(hand: int) -> bool:
    """Whether a hand is one card."""
    return hand != 0 and not hand & hand - 1


def owed(rule: Word, card: int) -> int:
    """How many marks the call for this one card has: two for some, else one, or none."""
    return 2 if card & rule.double else int(rule.others)


def due(d: State, seat: int, action: Action) -> str:
    """The call that this action, as it is listed now, owes."""
    if d.court is not None:
        return mau.due(d, seat, action)
    hand = d.hands[seat]
    if action.word:
        return "" if hand & hand - 1 else _due_after(d, seat, action, hand)
    rest = hand
    for code in action.cards:
        bit = 1 << code
        while not rest & bit:
            bit <<= STRIDE
        rest ^= bit
    if not rest:
        rule, code = d.table.out, d.table.counts_as(action.cards, d.top)
        return MARKS[owed(rule, 1 << code)] if rule and not d.table.powers[code].stays else ""
    if rest & rest - 1:
        return ""
    return MARKS[owed(d.table.left, rest)] if d.table.left else ""


def _due_after(d: State, seat: int, action: Action, hand: int) -> str:
    """A turn that ends on one card without a card laid: by passing, or by drawing it."""
    rule = d.table.left
    if rule is None or rule.at_once or seat != d.seat or action.bare not in d.menu.moves:
        return ""
    if action.word == "pass" and hand and not hand & hand - 1 and d.said[seat] != hand:
        return MARKS[owed(rule, hand)]
    if action.text == "draw" and not hand and d.menu.moves["draw"] is d.table.tails[LAST].moves["draw"]:
        return "!"
    return ""


def made(d: State, seat: int, action: Action, *, laid: bool) -> None:
    """The seat's hand may now be one card: was the call made, and is a window open?"""
    if d.court is not None:
        mau.heard(d, seat, action)
        return
    rule = d.table.left
    hand = d.hands[seat]
    if rule is None or not hand or hand & hand - 1:
        return
    if action.call == owed(rule, hand) or (action.call and action.word in ("draw", "take")):
        _said(d, seat, hand)
    elif laid or (not rule.at_once and d.said[seat] != hand):
        forgot(d, seat, action.call)


def forgot(d: State, seat: int, call: int = 0) -> None:
    """The seat holds one card and has not made the call: its window is open, or it pays at once."""
    rule = d.table.left
    if rule is None or d.court is not None or d.hands[seat] & d.hands[seat] - 1:
        return
    d.said[seat] = 0
    if not rule.at_once:
        d.owing = seat
    if d.table.accuse:
        d.missed[seat] = missing(owed(rule, d.hands[seat]), call)
        d.stale = NOBODY if d.stale == seat else d.stale
    elif rule.at_once:
        pay(d, seat, rule)


def again(d: State, seat: int) -> None:
    """Who has not gone out holds cards again: a single one wants its word, unless that belongs to a play."""
    if d.table.left is not None and not d.table.left.at_once:
        forgot(d, seat)


def pay(d: State, seat: int, rule: Word) -> None:
    """What a missed call costs: cards, or a whole new hand."""
    if rule.replaces:
        _exchange(d, seat, rule.penalty)
    else:
        stock.take(d, seat, rule.penalty)


def _exchange(d: State, seat: int, count: int) -> None:
    lost, d.hands[seat] = d.hands[seat].bit_count(), 0
    stock.gather(d, seat, count)
    if isinstance(drawn := d.log[-1], Secret):
        d.log[-1] = Exchanged(drawn, lost)
    stock.refill(d)


def _said(d: State, seat: int, hand: int) -> None:
    d.said[seat] = hand
    d.missed.pop(seat, None)
    if d.owing == seat:
        d.owing = NOBODY


def window(d: State, seat: int) -> bool:
    """Whether a seat may still make its call, alone.

    Where the price is the last card it may do so until its own next turn starts, and again after that turn.
    """
    if d.court is not None:
        return seat in d.court.silent and not d.over
    hand = d.hands[seat]
    if d.over or not single(hand):
        return False
    if not d.table.locks:
        return d.owing == seat
    return d.said[seat] != hand and (seat != d.seat or d.owing == seat)


def late(d: State, seat: int, action: Action) -> bool:
    """A call alone, while its window is open; the wrong word leaves it open."""
    if d.court is not None:
        return mau.late(d, seat, action)
    rule = d.table.left
    if rule is None or not window(d, seat):
        return False
    d.log.append(action.events()[seat])
    if action.call == owed(rule, d.hands[seat]):
        _said(d, seat, d.hands[seat])
    return True


def settle(d: State, seat: int) -> None:
    """Another seat has acted: who still holds one card and has not said so takes the penalty."""
    late_one = d.owing
    rule = d.table.left
    if late_one == seat or rule is None:
        return
    d.owing = NOBODY
    hand = d.hands[late_one]
    if not single(hand):
        d.missed.pop(late_one, None)
    elif not (d.table.accuse or rule.locks):
        pay(d, late_one, rule)


def finished(d: State, seat: int, move: Move, action: Action) -> bool:
    """Whether the seat that has laid its last card need not pay its `price` (or only if somebody accuses it).

    "If the winner fails to say this, they do not win and instead must take penalty cards."
    """
    if d.court is not None:
        mau.finished(d, seat, move.code, action)
        return not d.court.side[seat]
    rule = d.table.out
    wanted = owed(rule, 1 << move.code) if rule else 0
    d.crowned = seat if wanted == 2 == action.call else NOBODY
    if rule is None or action.call == wanted or not wanted:
        return True
    if d.table.accuse:
        d.missed[seat] = missing(wanted, action.call)
        return True
    return False


def price(d: State) -> int:
    """The cards to take for a last card without its word; before a court it is for others to speak."""
    return d.table.out.penalty if d.table.out and d.court is None else 0


# --- accusations -----------------------------------------------------------------------------------------


def missing(wanted: int, said: int) -> tuple[str, ...]:
    """What a seat may be accused of that should have made one call and made another or none."""
    if wanted == 1:
        return ("mau",)
    return ("mau_mau",) if said else ("mau", "mau_mau")


def accusations(d: State, seat: int) -> list[str]:
    """The accusations that a seat could make now, as notation."""
    if d.court is not None:
        return accusing.accusations(d, seat)
    if not d.table.accuse or d.over or d.top < 0 or not (d.table.left or d.table.out):
        return []
    if not d.active >> seat & 1:
        return []
    others = [other for other in range(d.seats) if other != seat and d.active >> other & 1]
    return [f"accuse@{SEATS[other]}:{kind}" for other in others for kind in ("mau", "mau_mau")]


def accuse(d: State, seat: int, action: Action) -> bool:
    """A right accusation costs the accused what was due, a wrong one the accuser one card."""
    if d.court is not None:
        return accusing.accuse(d, seat, action)
    if action.word != "accuse" or str(action) not in accusations(d, seat):
        return False
    accused = action.target or 0
    d.log.append(action.events()[seat])
    if action.detail in d.missed.get(accused, ()) and d.owing != accused:
        del d.missed[accused]
        rule = d.table.left if d.hands[accused] else d.table.out
        if rule:
            pay(d, accused, rule)
    else:
        stock.take(d, seat, 1)
    return True
