"""The Large Hadron Collider: a last seven may be answered by sevens, until the finisher has cards again.

"Legt ein Spieler als spielletzte Karte eine 7, so dürfen weiterhin 7er gespielt werden, mit dem Ziel, dass
der Spieler, der beendet hat, wieder neue Karten erhält."
"""

from __future__ import annotations

from maumau.game import call, side
from maumau.game.action import Action, parse
from maumau.game.end import gone
from maumau.game.move import Menu, Move
from maumau.game.state import ALONE, NOBODY, State
from maumau.game.table import DECLINE, TAKE, Table
from maumau.game.turn import answer, bound, offer, over


def finished(d: State, seat: int, move: Move) -> None:
    """The seat has laid its last card, a seven: the next seats are asked in turn for another one."""
    d.finishers += (seat,)
    for effect in move.effects:
        effect(d, seat, move)
    if d.owing != NOBODY:
        call.settle(d, seat)
    over(d, seat)


def ask(d: State, seat: int) -> None:
    """Each following player lays a seven or declines; the finisher whom the chain reaches takes the cards."""
    d.finishers = still(d)
    if not d.finishers:
        answer(d, seat)
        return
    hand = d.hands[seat]
    d.seat = seat
    d.to_act = ALONE[seat]
    reached = seat in d.finishers
    d.asks = "answer" if reached else "chain"
    offer(d, hand, bound(d, seat, hand, hand & d.answers), TAKE if reached else DECLINE)


def still(d: State) -> tuple[int, ...]:
    """The finishers who have no cards yet: whom a penalty has given one is not out any more."""
    return tuple(seat for seat in d.finishers if not d.hands[seat] and not side.holds(d, seat))


def back(d: State, seat: int) -> bool:
    """Whether there is more to ask when a finisher has taken the cards: of others who have finished."""
    if not d.hands[seat] and not side.holds(d, seat):  # there were none to take
        gone(d, seat)
        return True
    d.finishers = still(d)
    if d.finishers:
        ask(d, seat)
    return bool(d.finishers)


def decline(d: State, seat: int, _move: Move, action: Action) -> None:
    """The chain has stopped: the earliest finisher has won, and nobody need draw."""
    d.log.append(action.events()[seat])
    if d.owing != NOBODY:
        call.settle(d, seat)
    d.owed = d.chain = 0
    gone(d, still(d)[0])


def equip(table: Table) -> None:
    """Give a table the words and questions of the chain."""
    table.tails[DECLINE] = Menu({parse("decline"): Move(decline)})
    table.chain = ask
