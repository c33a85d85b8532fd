"""Calls: the words that must be said with one card left and with the last card, and what forgetting costs.

The window of a call is open until another seat acts, or it is the play itself. A call that is not needed
costs nothing. A call made with a draw is made on seeing the card: either word counts as the right one.
Where the players enforce the calls (`detection: accuse`) a missed one is punished only after an accusation.
"""

from __future__ import annotations

from typing import Final

from maumau.game.legal.decision import list_other_seats
from maumau.game.model.compiled import LAST, CompiledRules
from maumau.game.model.feature import Calls
from maumau.game.model.move import Move
from maumau.game.model.rule import CallRule
from maumau.game.model.state import NOBODY, State, edit_calls
from maumau.game.notation.action import SEATS, Action
from maumau.game.notation.cards import STRIDE, is_single_card
from maumau.game.notation.event import DREW, Exchanged, Secret, make_draw_event
from maumau.game.table import stock
from maumau.game.table.window import open_hold_window

MARKS: Final = ("", "!", "!!")


class PlainCalls(Calls):
    """Calls that the engine judges, or that other players enforce; and none, where a variant has none."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            "plain calls",
            lambda compiled: not compiled.law.applies,
            {
                "settle_missed_call": lambda compiled, _: compiled.left.applies,
                "judge_own_call": lambda compiled, move: bool(compiled.left.applies or move.power.swap),
                "ask_about_last_card": _asks_accusers_at_end,
                "keep_accused_in_play": _asks_accusers_at_end,
                "ask_for_accusations": _checks_ends_of_turns,
                "end_zug": _checks_ends_of_turns,
            },
        )

    def start(self, d: State, held: list[int], *, settles: bool) -> None:
        """Begin with these hands; where `settles`, one card from the deal owes no call."""
        if settles:
            edit_calls(d).said = [hand if not hand & hand - 1 else 0 for hand in held]

    def get_due_call(self, d: State, seat: int, action: Action) -> str:
        """Return the call that this action owes in its listed form."""
        hand = d.hands[seat]
        if action.word:
            return "" if hand & hand - 1 else _get_call_due_after_turn(d, seat, action, hand)
        rest = hand
        for code in action.cards:
            bit = 1 << code
            while not rest & bit:
                bit <<= STRIDE
            rest ^= bit
        compiled = d.compiled
        if not rest:
            code = compiled.counts_as(action.cards, d.top)
            return "" if compiled.powers[code].stays else MARKS[count_owed_marks(compiled.out, 1 << code)]
        swaps = action.target is not None and compiled.powers[action.cards[-1]].swap
        if rest & rest - 1 or swaps:
            return ""
        return MARKS[count_owed_marks(compiled.left, rest)]

    def judge_card(self, d: State, seat: int, move: Move, action: Action) -> None:  # noqa: ARG002
        """Accept or charge the call of a seat that has laid a card."""
        hand = d.hands[seat]
        if not hand & hand - 1:
            _check_call(d, seat, action, laid=True)

    def judge_turn(self, d: State, seat: int, action: Action) -> None:
        """Accept or charge the call of a seat whose turn ends without a card laid."""
        _check_call(d, seat, action, laid=False)

    def judge_last_card(self, d: State, seat: int, move: Move, action: Action, *, stays: bool) -> bool:
        """Return True if the seat that laid its last card is out, unless it is accused.

        "If the winner fails to say this, they do not win and instead must take penalty cards."
        """
        if stays:
            return False
        wanted = count_owed_marks(d.compiled.out, 1 << move.code)
        doubled = seat if wanted == 2 == action.call else NOBODY
        if d.calls.doubled_winner != doubled:
            edit_calls(d).doubled_winner = doubled
        if action.call == wanted or not wanted:
            return True
        if d.compiled.accuse:
            edit_calls(d).missed[seat] = list_missed_calls(wanted, action.call)
            return True
        return False

    def get_last_call_penalty(self, d: State) -> int:
        """Return the price in cards of a last card without its call."""
        return d.compiled.out.penalty

    def expect_call_again(self, d: State, seat: int) -> None:
        """Expect the call again from a seat that stays in play, unless calls belong to plays."""
        edit_calls(d).said[seat] = 0
        if d.hands[seat] and not d.compiled.left.at_once:
            _note_missing_call(d, seat)

    def settle_missed_call(self, d: State, seat: int) -> None:
        """Charge the seat whose call is still missing now that another seat has acted."""
        late_one = d.calls.owing
        rule = d.compiled.left
        if late_one in (seat, NOBODY):
            return
        calls = edit_calls(d)
        calls.owing = NOBODY
        if not is_single_card(d.hands[late_one]):
            calls.missed.pop(late_one, None)
        elif not (d.compiled.accuse or rule.locks):
            _charge_missed_call(d, late_one, rule)

    def may_call_late(self, d: State, seat: int) -> bool:
        """Return True if a seat may still make its call without another action.

        Where the price is the last card it may do so until its own next turn starts, and again after that
        turn.
        """
        hand = d.hands[seat]
        if d.over or not is_single_card(hand):
            return False
        if not d.compiled.left.locks:
            return d.calls.owing == seat
        return d.calls.said[seat] != hand and (seat != d.seat or d.calls.owing == seat)

    def make_late_call(self, d: State, seat: int, action: Action) -> bool:
        """Make a call while its window is open; the wrong word leaves the window open."""
        if not self.may_call_late(d, seat):
            return False
        d.log.append(action.events()[seat])
        if action.call == count_owed_marks(d.compiled.left, d.hands[seat]):
            _accept_call(d, seat, d.hands[seat])
        return True

    def list_accusations(self, d: State, seat: int) -> list[str]:
        """Return the accusations that a seat could make now, as notation."""
        if not d.compiled.accuse or d.over or d.top < 0 or not d.active >> seat & 1:
            return []
        others = [other for other in range(d.seats) if other != seat and d.active >> other & 1]
        return [f"accuse@{SEATS[other]}:{kind}" for other in others for kind in ("mau", "mau_mau")]

    def handle_accusation(self, d: State, seat: int, action: Action) -> bool:
        """Carry out an accusation: if right the accused pays the penalty, if wrong the accuser one card."""
        if action.word != "accuse" or str(action) not in self.list_accusations(d, seat):
            return False
        accused = action.target or 0
        d.log.append(action.events()[seat])
        if action.detail in d.calls.missed.get(accused, ()) and d.calls.owing != accused:
            del edit_calls(d).missed[accused]
            _charge_missed_call(d, accused, d.compiled.left if d.hands[accused] else d.compiled.out)
        else:
            stock.take_cards(d, seat, 1)
        return True

    def ask_for_accusations(self, d: State, seat: int) -> bool:
        """Ask whether players who enforce the calls accuse a seat left with one card."""
        suspect = d.calls.suspect
        calls = edit_calls(d)
        calls.missed.pop(calls.stale, None)
        calls.stale = suspect
        calls.suspect = seat if is_single_card(d.hands[seat]) else NOBODY
        if suspect == NOBODY:
            return False
        open_hold_window(d, list_other_seats(d, suspect), suspect)
        return True

    def draw_card(self, d: State, seat: int, action: Action) -> int:
        """Let a seat draw a card and return it (0 if there is none)."""
        bit = stock.draw_card(d, seat)
        said = action.text
        d.log.append((said == "draw" and DREW[seat].get(bit)) or make_draw_event(seat, bit, said))
        d.idle = 0
        if d.compiled.drawing.when_empty:
            stock.refill_stock(d)
        if d.calls.owing != NOBODY:
            self.settle_missed_call(d, seat)
        return bit

    def take_owed_cards(self, d: State, seat: int, action: Action) -> None:  # noqa: ARG002
        """Let a seat take the cards that it owes."""
        stock.gather_cards(d, seat, d.owed)

    def give_penalty_card(self, d: State, seat: int) -> None:
        """Give the seat a penalty card in its hand, where no clause says what violations are."""
        stock.take_cards(d, seat, 1)


def _asks_accusers_at_end(compiled: CompiledRules, _move: Move) -> bool:
    return compiled.asks_accusers_at_end


def _checks_ends_of_turns(compiled: CompiledRules, _move: Move) -> bool:
    return compiled.has_turn_end_checks


def count_owed_marks(rule: CallRule, card: int) -> int:
    """Return the number of marks in the call for this one card: 2 for the special call, else 1 or 0."""
    return 2 if card & rule.double else int(rule.others)


def _get_call_due_after_turn(d: State, seat: int, action: Action, hand: int) -> str:
    """Return the call owed by a turn that ends with one card without laying one: by passing or drawing."""
    rule = d.compiled.left
    if rule.at_once or seat != d.seat or action.bare not in d.menu.moves:
        return ""
    if action.word == "pass" and hand and not hand & hand - 1 and d.calls.said[seat] != hand:
        return MARKS[count_owed_marks(rule, hand)]
    last = d.compiled.cache.tails[LAST].moves["draw"]
    if action.text == "draw" and not hand and d.menu.moves["draw"] is last:
        return "!"
    return ""


def _check_call(d: State, seat: int, action: Action, *, laid: bool) -> None:
    """Accept or charge the call if the seat's hand may now be one card, and open a window for a late one."""
    rule = d.compiled.left
    hand = d.hands[seat]
    if not rule.applies or not hand or hand & hand - 1:
        return
    if action.call == count_owed_marks(rule, hand) or (action.call and action.word in ("draw", "take")):
        _accept_call(d, seat, hand)
    elif laid or (not rule.at_once and d.calls.said[seat] != hand):
        _note_missing_call(d, seat, action.call)


def _note_missing_call(d: State, seat: int, call: int = 0) -> None:
    """Open the window for a missing call of a seat with one card, or charge it at once."""
    rule = d.compiled.left
    hand = d.hands[seat]
    if hand & hand - 1:
        return
    calls = edit_calls(d)
    calls.said[seat] = 0
    if not rule.at_once:
        calls.owing = seat
    if d.compiled.accuse:
        calls.missed[seat] = list_missed_calls(count_owed_marks(rule, hand), call)
        calls.stale = NOBODY if calls.stale == seat else calls.stale
    elif rule.at_once:
        _charge_missed_call(d, seat, rule)


def _charge_missed_call(d: State, seat: int, rule: CallRule) -> None:
    """Charge the penalty for a missed call: cards, or a whole new hand."""
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
    calls = edit_calls(d)
    calls.said[seat] = hand
    calls.missed.pop(seat, None)
    if calls.owing == seat:
        calls.owing = NOBODY


def list_missed_calls(wanted: int, said: int) -> tuple[str, ...]:
    """Return the accusations that are right when the call `wanted` was due and `said` was made instead."""
    if wanted == 1:
        return ("mau",)
    return ("mau_mau",) if said else ("mau", "mau_mau")
