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
from maumau.game.compiled import LAST, CallRule
from maumau.game.event import Exchanged, Secret
from maumau.game.move import Move
from maumau.game.state import NOBODY, State

MARKS: Final = ("", "!", "!!")


def is_single_card(hand: int) -> bool:
    """Whether a hand is one card."""
    return hand != 0 and not hand & hand - 1


def count_owed_marks(rule: CallRule, card: int) -> int:
    """How many marks the call for this one card has: two for some, else one, or none."""
    return 2 if card & rule.double else int(rule.others)


def get_due_call(d: State, seat: int, action: Action) -> str:
    """The call that this action, as it is listed now, owes."""
    if d.court is not None:
        return mau.get_due_call(d, seat, action)
    hand = d.hands[seat]
    if action.word:
        return "" if hand & hand - 1 else _get_call_due_after_turn(d, seat, action, hand)
    rest = hand
    for code in action.cards:
        bit = 1 << code
        while not rest & bit:
            bit <<= STRIDE
        rest ^= bit
    if not rest:
        rule, code = d.compiled.out, d.compiled.counts_as(action.cards, d.top)
        return MARKS[count_owed_marks(rule, 1 << code)] if rule and not d.compiled.powers[code].stays else ""
    if rest & rest - 1:
        return ""
    return MARKS[count_owed_marks(d.compiled.left, rest)] if d.compiled.left else ""


def _get_call_due_after_turn(d: State, seat: int, action: Action, hand: int) -> str:
    """A turn that ends on one card without a card laid: by passing, or by drawing it."""
    rule = d.compiled.left
    if rule is None or rule.at_once or seat != d.seat or action.bare not in d.menu.moves:
        return ""
    if action.word == "pass" and hand and not hand & hand - 1 and d.said[seat] != hand:
        return MARKS[count_owed_marks(rule, hand)]
    if action.text == "draw" and not hand and d.menu.moves["draw"] is d.compiled.tails[LAST].moves["draw"]:
        return "!"
    return ""


def check_call(d: State, seat: int, action: Action, *, laid: bool) -> None:
    """The seat's hand may now be one card: was the call made, and is a window open?"""
    if d.court is not None:
        mau.judge_call(d, seat, action)
        return
    rule = d.compiled.left
    hand = d.hands[seat]
    if rule is None or not hand or hand & hand - 1:
        return
    if action.call == count_owed_marks(rule, hand) or (action.call and action.word in ("draw", "take")):
        _accept_call(d, seat, hand)
    elif laid or (not rule.at_once and d.said[seat] != hand):
        note_missing_call(d, seat, action.call)


def note_missing_call(d: State, seat: int, call: int = 0) -> None:
    """The seat holds one card and has not made the call: its window is open, or it pays at once."""
    rule = d.compiled.left
    if rule is None or d.court is not None or d.hands[seat] & d.hands[seat] - 1:
        return
    d.said[seat] = 0
    if not rule.at_once:
        d.owing = seat
    if d.compiled.accuse:
        d.missed[seat] = list_missed_calls(count_owed_marks(rule, d.hands[seat]), call)
        d.stale = NOBODY if d.stale == seat else d.stale
    elif rule.at_once:
        charge_missed_call(d, seat, rule)


def expect_call_again(d: State, seat: int) -> None:
    """Who has not gone out holds cards again: a single one wants its word, unless that belongs to a play."""
    if d.compiled.left is not None and not d.compiled.left.at_once:
        note_missing_call(d, seat)


def charge_missed_call(d: State, seat: int, rule: CallRule) -> None:
    """What a missed call costs: cards, or a whole new hand."""
    if rule.replaces:
        _exchange_hand(d, seat, rule.penalty)
    else:
        stock.take_cards(d, seat, rule.penalty)


def _exchange_hand(d: State, seat: int, count: int) -> None:
    lost, d.hands[seat] = d.hands[seat].bit_count(), 0
    stock.gather_cards(d, seat, count)
    if isinstance(drawn := d.log[-1], Secret):
        d.log[-1] = Exchanged(drawn, lost)
    stock.refill_stock(d)


def _accept_call(d: State, seat: int, hand: int) -> None:
    d.said[seat] = hand
    d.missed.pop(seat, None)
    if d.owing == seat:
        d.owing = NOBODY


def may_call_late(d: State, seat: int) -> bool:
    """Whether a seat may still make its call, alone.

    Where the price is the last card it may do so until its own next turn starts, and again after that turn.
    """
    if d.court is not None:
        return seat in d.court.silent and not d.over
    hand = d.hands[seat]
    if d.over or not is_single_card(hand):
        return False
    if not d.compiled.locks:
        return d.owing == seat
    return d.said[seat] != hand and (seat != d.seat or d.owing == seat)


def make_late_call(d: State, seat: int, action: Action) -> bool:
    """A call alone, while its window is open; the wrong word leaves it open."""
    if d.court is not None:
        return mau.make_late_call(d, seat, action)
    rule = d.compiled.left
    if rule is None or not may_call_late(d, seat):
        return False
    d.log.append(action.events()[seat])
    if action.call == count_owed_marks(rule, d.hands[seat]):
        _accept_call(d, seat, d.hands[seat])
    return True


def settle_missed_call(d: State, seat: int) -> None:
    """Another seat has acted: who still holds one card and has not said so takes the penalty."""
    late_one = d.owing
    rule = d.compiled.left
    if late_one == seat or rule is None:
        return
    d.owing = NOBODY
    hand = d.hands[late_one]
    if not is_single_card(hand):
        d.missed.pop(late_one, None)
    elif not (d.compiled.accuse or rule.locks):
        charge_missed_call(d, late_one, rule)


def has_settled_last_call(d: State, seat: int, move: Move, action: Action) -> bool:
    """Whether the seat that has laid its last card need not pay its `price` (or only if somebody accuses it).

    "If the winner fails to say this, they do not win and instead must take penalty cards."
    """
    if d.court is not None:
        mau.judge_last_call(d, seat, move.code, action)
        return not d.court.side[seat]
    rule = d.compiled.out
    wanted = count_owed_marks(rule, 1 << move.code) if rule else 0
    d.doubled_winner = seat if wanted == 2 == action.call else NOBODY
    if rule is None or action.call == wanted or not wanted:
        return True
    if d.compiled.accuse:
        d.missed[seat] = list_missed_calls(wanted, action.call)
        return True
    return False


def get_last_call_penalty(d: State) -> int:
    """The cards to take for a last card without its word; before a court it is for others to speak."""
    return d.compiled.out.penalty if d.compiled.out and d.court is None else 0


# --- accusations -----------------------------------------------------------------------------------------


def list_missed_calls(wanted: int, said: int) -> tuple[str, ...]:
    """What a seat may be accused of that should have made one call and made another or none."""
    if wanted == 1:
        return ("mau",)
    return ("mau_mau",) if said else ("mau", "mau_mau")


def list_accusations(d: State, seat: int) -> list[str]:
    """The accusations that a seat could make now, as notation."""
    if d.court is not None:
        return accusing.list_accusations(d, seat)
    if not d.compiled.accuse or d.over or d.top < 0 or not (d.compiled.left or d.compiled.out):
        return []
    if not d.active >> seat & 1:
        return []
    others = [other for other in range(d.seats) if other != seat and d.active >> other & 1]
    return [f"accuse@{SEATS[other]}:{kind}" for other in others for kind in ("mau", "mau_mau")]


def handle_accusation(d: State, seat: int, action: Action) -> bool:
    """A right accusation costs the accused what was due, a wrong one the accuser one card."""
    if d.court is not None:
        return accusing.handle_accusation(d, seat, action)
    if action.word != "accuse" or str(action) not in list_accusations(d, seat):
        return False
    accused = action.target or 0
    d.log.append(action.events()[seat])
    if action.detail in d.missed.get(accused, ()) and d.owing != accused:
        del d.missed[accused]
        rule = d.compiled.left if d.hands[accused] else d.compiled.out
        if rule:
            charge_missed_call(d, accused, rule)
    else:
        stock.take_cards(d, seat, 1)
    return True
