"""The Large Hadron Collider: a last seven may be answered by sevens, until the finisher has cards again.

A custom variant may say it of other cards, with a price for each (`chain`).

"Legt ein Spieler als spielletzte Karte eine 7, so dürfen weiterhin 7er gespielt werden, mit dem Ziel, dass
der Spieler, der beendet hat, wieder neue Karten erhält."
"""

from __future__ import annotations

from maumau.game.legal.decision import ask_for_answer, limit_last_card, offer_actions
from maumau.game.model.compiled import DECLINE, TAKE, CompiledRules
from maumau.game.model.feature import Feature
from maumau.game.model.move import Move
from maumau.game.model.state import ALONE, FORFEITS, NOBODY, State, edit_features
from maumau.game.notation.action import Action
from maumau.game.table import side
from maumau.game.table.end import put_out


class LastSeven(Feature):
    """Last cards that may be answered, until their player has cards again."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            "last seven",
            _has_chains,
            {"start_chain": lambda _, move: move.power.last == "chain"},
            ("finish_taking", "pass_turn", "refresh"),
        )

    def finish_taking(self, d: State, seat: int) -> bool:
        """Continue the chain after a finisher has taken the cards; return False if no finisher is left."""
        if not d.features.finishers:
            return False
        if not d.hands[seat] and not side.has_penalty_cards(d, seat):  # there were none to take
            put_out(d, seat)
            return True
        finishers = _update_finishers(d)
        if finishers:
            ask_for_seven(d, seat)
        return bool(finishers)

    def pass_turn(self, d: State, seat: int) -> bool:
        """Ask the next seat to answer the last card."""
        if not d.features.finishers:
            return False
        ask_for_seven(d, seat)
        return True

    def refresh(self, d: State, seat: int) -> bool:
        """Ask again for an answer to the last card."""
        return self.pass_turn(d, seat)


def _has_chains(compiled: CompiledRules) -> bool:
    return any(compiled.powers[code].last == "chain" for code in compiled.pack.kinds)


def _update_finishers(d: State) -> tuple[int, ...]:
    """Return the finishers who still wait, and forget the others."""
    waiting = list_waiting_finishers(d)
    if waiting != d.features.finishers:
        edit_features(d).finishers = waiting
    return waiting


def ask_for_seven(d: State, seat: int) -> None:
    """Each following player lays an answer or declines; the finisher whom it reaches takes the cards."""
    finishers = _update_finishers(d)
    if not finishers:
        ask_for_answer(d, seat)
        return
    hand = d.hands[seat]
    d.seat = seat
    d.to_act = ALONE[seat]
    reached = seat in finishers
    d.asks = "answer" if reached else "chain"
    offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.answers), TAKE if reached else DECLINE)


def list_waiting_finishers(d: State) -> tuple[int, ...]:
    """Return the finishers who still have no cards; finishers who got a penalty card are no longer out."""
    finishers = d.features.finishers
    return tuple(seat for seat in finishers if not d.hands[seat] and not side.has_penalty_cards(d, seat))


def end_chain(d: State, seat: int, _move: Move, action: Action) -> None:
    """End the chain: the earliest finisher who did not forfeit has won, and the owed cards lapse."""
    d.log.append(action.events()[seat])
    if d.calls.owing != NOBODY:
        d.compiled.calls.settle_missed_call(d, seat)
    d.owed = d.chain = 0
    finishers = list_waiting_finishers(d)
    honest = [finisher for finisher in finishers if finisher not in d.faults]
    put_out(d, honest[0] if honest and d.made.forfeits == FORFEITS else finishers[0])
