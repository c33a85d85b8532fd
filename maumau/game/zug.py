"""The end of a Zug, an ordinary turn, under the law.

"Ein Spieler erhält das Spielrecht sofort nach Abschluss eines ordentlichen Zuges des ihm vorangegangen
Spielers."
"""

from __future__ import annotations

from maumau.game import mau, side
from maumau.game.law import commit_violation
from maumau.game.state import NOBODY, State


def begin_first_zug(d: State) -> None:
    """The cards are dealt, and what the turned-up card brings is done: the first Zug begins."""
    if d.court is not None:
        d.court.suspects |= d.court.marked
        d.court.marked = 0
        d.court.zug = 1


def get_zug_owner(d: State, seat: int) -> int:
    """Whose Zug it is that a seat's action ends: a king thrown in is none of its player's."""
    return seat if d.court is None or d.court.owner == NOBODY else d.court.owner


def close_calls(d: State, seat: int) -> None:
    """The seat has done what it does in its Zug: who had to say Mau before its end is too late now.

    "Muss aber unbedingt vor dem Ende des ordentlichen Zuges des nachfolgenden Spielers angemerkt werden."
    """
    law, court = d.compiled.law, d.court
    if law is None or court is None:
        return
    for who, since in list(court.silent.items()):
        over = law.own_zug or (since < court.zug and who != seat)
        if over and mau.count_final_cards(d, who, mine=who == seat) == 1:
            del court.silent[who]
            court.settled |= 1 << who
            commit_violation(d, who, "mau")


def find_suspects(d: State) -> int:
    """The seats that the others may now want to accuse, once."""
    law, court = d.compiled.law, d.court
    if law is None or court is None or not law.reports:
        return 0
    found = court.suspects
    if law.own_zug:
        found |= court.marked
        court.marked = 0
    court.suspects = 0
    return found & d.active


def end_zug(d: State, seat: int) -> None:
    """The Zug is over: violations lapse, penalty cards ripen, and the next one begins.

    Accusing ends "durch das Ende des ordentlichen Zuges des nächsten Spielers", or one Zug later.
    """
    court = d.court
    if court is None:
        return
    kept = []
    for violation in court.guilt:
        counts = violation.zug != court.zug and violation.seat != seat
        if not counts or violation.turns > 1:
            kept.append(violation.older() if counts else violation)
    court.guilt = tuple(kept)
    if side.ripen_cards(d, seat):
        mau.mark_suspect(d, seat)
    for other in range(d.seats):
        if mau.count_final_cards(d, other, mine=False) != 1:
            mau.forget_call(d, other)
    if side.count_valid_cards(d, seat) == 1 and not court.settled >> seat & 1:
        court.silent.setdefault(seat, court.zug)
    court.suspects |= court.marked
    court.marked = 0
    court.owner = NOBODY
    court.zug += 1
