"""The end of a Zug, an ordinary turn, under the law.

"Ein Spieler erhält das Spielrecht sofort nach Abschluss eines ordentlichen Zuges des ihm vorangegangen
Spielers."
"""

from __future__ import annotations

from maumau.game.legal.decision import list_other_seats
from maumau.game.model.court import Court
from maumau.game.model.state import NOBODY, State
from maumau.game.swiss import mau
from maumau.game.table import side
from maumau.game.table.side import commit_violation
from maumau.game.table.window import open_hold_window


def begin_first_zug(d: State) -> None:
    """Begin the first Zug: the cards are dealt, and the up card is settled."""
    d.court.suspects |= d.court.marked
    d.court.marked = 0
    d.court.zug = 1


def get_zug_owner(d: State, seat: int) -> int:
    """Return the owner of the Zug that a seat's action ends; a king thrown in is not a Zug of its player."""
    return seat if d.court.owner == NOBODY else d.court.owner


def close_calls(d: State, seat: int) -> None:
    """Close the calls due by the end of the seat's Zug: a Mau that is still missing is a violation.

    "Muss aber unbedingt vor dem Ende des ordentlichen Zuges des nachfolgenden Spielers angemerkt werden."
    """
    law, court = d.compiled.law, d.court
    for who, since in list(court.silent.items()):
        over = law.own_zug or (since < court.zug and who != seat)
        if over and mau.count_final_cards(d, who, mine=who == seat) == 1:
            del court.silent[who]
            court.settled |= 1 << who
            commit_violation(d, who, "mau")


def ask_for_accusations(d: State, seat: int, court: Court) -> bool:
    """Ask the others for accusations at the end of this seat's Zug; return True if they are asked."""
    if not court.zug:
        return False
    close_calls(d, get_zug_owner(d, seat))
    suspects = find_suspects(d)
    if not suspects:
        return False
    opener = (suspects & -suspects).bit_length() - 1
    asked = list_other_seats(d, opener) + ([opener] if suspects & suspects - 1 else [])
    open_hold_window(d, asked, opener)
    return True


def find_suspects(d: State) -> int:
    """Return the seats that the others may now want to accuse, once."""
    law, court = d.compiled.law, d.court
    if not law.reports:
        return 0
    found = court.suspects
    if law.own_zug:
        found |= court.marked
        court.marked = 0
    court.suspects = 0
    return found & d.active


def end_zug(d: State, seat: int) -> None:
    """End the Zug: violations lapse, penalty cards ripen, and the next one begins.

    Accusing ends "durch das Ende des ordentlichen Zuges des nächsten Spielers", or one Zug later.
    """
    court = d.court
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
