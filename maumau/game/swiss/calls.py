"""Calls where the players watch over the rules: a court hears accusations, penalty cards lie on the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maumau.game.legal import gesture
from maumau.game.model.court import Paused
from maumau.game.model.feature import Calls, Feature
from maumau.game.model.state import edit_calls
from maumau.game.notation.event import NOONE, Secret, make_draw_event
from maumau.game.swiss import accuse, mau, misdeal, zug
from maumau.game.table import side, stock

if TYPE_CHECKING:
    from maumau.game.model.compiled import CompiledRules
    from maumau.game.model.move import Move
    from maumau.game.model.state import State, Window
    from maumau.game.notation.action import Action


class SwissCourt(Calls):
    """Calls under the law: a missed one is a violation, of which the others may accuse the player."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            "Swiss court",
            lambda compiled: compiled.law.applies,
            {
                "settle_missed_call": lambda compiled, _: compiled.left.applies,
                "judge_own_call": lambda _compiled, _move: True,
                "ask_about_last_card": _hears_reports,
                "keep_accused_in_play": _hears_reports,
                "ask_for_accusations": lambda _compiled, _move: True,
                "end_zug": lambda _compiled, _move: True,
            },
            ("describe",),
        )

    def describe(self, d: State) -> dict[str, Any]:
        """Return the number of cards in front of each seat."""
        return {"side": side.count_penalty_cards(d)}

    def start(self, d: State, held: list[int], *, settles: bool) -> None:
        """Begin with these hands; where `settles`, one card from the deal owes no call."""
        if settles:
            edit_calls(d).said = [hand if not hand & hand - 1 else 0 for hand in held]
            d.court.settled = sum(1 << seat for seat, hand in enumerate(held) if not hand & hand - 1)

    def get_due_call(self, d: State, seat: int, action: Action) -> str:
        """Return the call that this action owes in its listed form."""
        return mau.get_due_call(d, seat, action)

    def judge_card(self, d: State, seat: int, move: Move, action: Action) -> None:
        """Judge the apology and the call of a seat that has laid a card."""
        gesture.check_apology(d, seat, move, action)
        mau.judge_call(d, seat, action)

    def judge_turn(self, d: State, seat: int, action: Action) -> None:
        """Judge the call of a seat whose turn ends without a card laid."""
        mau.judge_call(d, seat, action)

    def judge_last_card(self, d: State, seat: int, move: Move, action: Action, *, stays: bool) -> bool:
        """Judge the call of a last card; return True if its player is out."""
        if stays:
            mau.judge_call(d, seat, action)
            return False
        mau.judge_last_call(d, seat, move.code, action)
        return not d.court.side[seat]

    def expect_call_again(self, d: State, seat: int) -> None:
        """Forget the call of a seat that stays in play."""
        edit_calls(d).said[seat] = 0

    def may_call_late(self, d: State, seat: int) -> bool:
        """Return True if a seat may still say Mau without another action."""
        return seat in d.court.silent and not d.over

    def make_late_call(self, d: State, seat: int, action: Action) -> bool:
        """Make a call without another action; return False if it is too late."""
        return mau.make_late_call(d, seat, action)

    def list_accusations(self, d: State, seat: int) -> list[str]:
        """Return the accusations that a seat could make now, as notation."""
        return accuse.list_accusations(d, seat)

    def handle_accusation(self, d: State, seat: int, action: Action) -> bool:
        """Carry out an accusation; return False if it is not allowed."""
        return accuse.handle_accusation(d, seat, action)

    def draw_card(self, d: State, seat: int, action: Action) -> int:
        """Let a seat draw a card and return it (0 if there is none); judge its call and its face."""
        unmoved = gesture.forgot_astonished_face(d, action)
        bit = stock.draw_card(d, seat)
        d.log.append(make_draw_event(seat, bit, action.text))
        d.idle = 0
        stock.refill_stock(d)
        _judge_draw(d, seat, action, unmoved=unmoved)
        return bit

    def take_owed_cards(self, d: State, seat: int, action: Action) -> None:
        """Let a seat take the cards that it owes; judge its call and its face."""
        unmoved = gesture.forgot_astonished_face(d, action)
        stock.gather_cards(d, seat, d.owed)
        d.chain = 0  # the sevens join the pile before the call is judged
        _judge_draw(d, seat, action, unmoved=unmoved)

    def give_penalty_card(self, d: State, seat: int) -> None:
        """Give the seat a penalty card, if there is one, face down in front of it."""
        court = d.court
        bit = stock.draw_card(d, seat)
        if not bit:
            return
        d.hands[seat] ^= bit
        court.side[seat] += ((court.zug, bit),)
        court.lying |= bit
        d.log.append(Secret(seat, [bit], "side +1", NOONE))
        stock.refill_stock(d)

    def punish_dealer(self, d: State, dealer: int) -> None:
        """Give the dealer a penalty card for each error but the first."""
        misdeal.punish_dealer(d, dealer)

    def keep_turn_owner(self, d: State, seat: int) -> None:
        """Note whose Zug it is that a card thrown in ends."""
        if d.court.zug:
            d.court.owner = zug.get_zug_owner(d, seat)

    def ask_for_accusations(self, d: State, seat: int) -> bool:
        """Ask the others for accusations at the end of this seat's Zug; return True if they are asked."""
        return zug.ask_for_accusations(d, seat, d.court)

    def end_zug(self, d: State, seat: int) -> None:
        """End the Zug; what is settled on the up card comes before the first one."""
        if d.court.zug:
            zug.end_zug(d, zug.get_zug_owner(d, seat))
        else:
            zug.begin_first_zug(d)

    def begin_first_zug(self, d: State) -> None:
        """Begin the first Zug."""
        zug.begin_first_zug(d)

    def adjourn(self, d: State, window: Window) -> bool:
        """Close a window to which all have replied; return True if charges must be heard now."""
        court = d.court
        if all(kept.word == "hold" for kept in window.replies.values()):
            court.closed(len(d.log))
        if not court.charges or court.paused is not None:
            return False
        d.window = None
        court.paused = Paused(d, window)
        return True

    def has_charges(self, d: State) -> bool:
        """Return True if charges wait to be heard."""
        return bool(d.court.charges)

    def note_closed_windows(self, d: State) -> None:
        """Note the windows that closed silently before the next event."""
        d.court.note_closed_windows(len(d.log))


class Gestures(Feature):
    """Gestures in menus: the astonished draw, and penalty cards that may be picked up."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            "gestures",
            lambda compiled: compiled.law.applies and compiled.has_card_sets,
            hooks=("extend_menu",),
        )

    def extend_menu(self, d: State) -> None:
        """Add the gestures to a menu just offered."""
        gesture.add_gestures(d)


def _hears_reports(compiled: CompiledRules, _move: Move) -> bool:
    return compiled.asks_accusers_at_end


def _judge_draw(d: State, seat: int, action: Action, *, unmoved: bool) -> None:
    """Judge the call made with a draw, and charge a missing astonished face (`unmoved`)."""
    mau.judge_call(d, seat, action)
    if unmoved:
        side.commit_violation(d, seat, "willi")
