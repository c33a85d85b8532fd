"""The Large Hadron Collider: a last seven may be answered by sevens, until the finisher has cards again.

"Legt ein Spieler als spielletzte Karte eine 7, so dürfen weiterhin 7er gespielt werden, mit dem Ziel, dass
der Spieler, der beendet hat, wieder neue Karten erhält."
"""

from __future__ import annotations

from maumau.game import call, side
from maumau.game.action import Action, parse
from maumau.game.compiled import DECLINE, TAKE, CompiledRules
from maumau.game.end import put_out
from maumau.game.move import Menu, Move
from maumau.game.state import ALONE, NOBODY, State
from maumau.game.turn import ask_for_answer, end_turn, limit_last_card, offer_actions


def start_chain(d: State, seat: int, move: Move) -> None:
    """The seat has laid its last card, a seven: the next seats are asked in turn for another one."""
    d.finishers += (seat,)
    for effect in move.effects:
        effect(d, seat, move)
    if d.owing != NOBODY:
        call.settle_missed_call(d, seat)
    end_turn(d, seat)


def ask_for_seven(d: State, seat: int) -> None:
    """Each following player lays a seven or declines; the finisher whom the chain reaches takes the cards."""
    d.finishers = list_waiting_finishers(d)
    if not d.finishers:
        ask_for_answer(d, seat)
        return
    hand = d.hands[seat]
    d.seat = seat
    d.to_act = ALONE[seat]
    reached = seat in d.finishers
    d.asks = "answer" if reached else "chain"
    offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.answers), TAKE if reached else DECLINE)


def list_waiting_finishers(d: State) -> tuple[int, ...]:
    """The finishers who have no cards yet: whom a penalty has given one is not out any more."""
    return tuple(seat for seat in d.finishers if not d.hands[seat] and not side.has_penalty_cards(d, seat))


def resume_chain(d: State, seat: int) -> bool:
    """Whether there is more to ask when a finisher has taken the cards: of others who have finished."""
    if not d.hands[seat] and not side.has_penalty_cards(d, seat):  # there were none to take
        put_out(d, seat)
        return True
    d.finishers = list_waiting_finishers(d)
    if d.finishers:
        ask_for_seven(d, seat)
    return bool(d.finishers)


def end_chain(d: State, seat: int, _move: Move, action: Action) -> None:
    """The chain has stopped: the earliest finisher has won, and nobody need draw."""
    d.log.append(action.events()[seat])
    if d.owing != NOBODY:
        call.settle_missed_call(d, seat)
    d.owed = d.chain = 0
    put_out(d, list_waiting_finishers(d)[0])


def install_chain_moves(compiled: CompiledRules) -> None:
    """Give a table the words and questions of the chain."""
    compiled.tails[DECLINE] = Menu({parse("decline"): Move(end_chain)})
    compiled.chain = ask_for_seven
