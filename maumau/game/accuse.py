"""Accusing: "Jeder Mitspieler kann anzweifeln, sprich er teilt der Spielgruppe mit, er hätte ein Regelverstoß
beobachtet."
"""

from __future__ import annotations

from typing import Final

from maumau.game import plenum, side
from maumau.game.action import SEATS, Action
from maumau.game.court import Charge, Paused, Violation
from maumau.game.state import NOBODY, State

BUSY: Final = ("appeal", "vote", "react")  # nobody is accused while the court sits, or a race is run
ON_TURN: Final = ("turn", "answer", "cover", "again")


def list_accusations(d: State, seat: int) -> list[str]:
    """What a seat could say now against the others, as notation."""
    law, court = d.compiled.law, d.court
    if law is None or court is None or d.over or d.top < 0 or d.asks in BUSY or not d.active >> seat & 1:
        return []
    listed: list[str] = []
    if law.reports:
        known = law.accusations.get((seat, d.active))
        if known is None:
            others = [other for other in range(d.seats) if other != seat and d.active >> other & 1]
            known = [f"accuse@{SEATS[other]}:{kind}" for other in others for kind in law.kinds]
            law.accusations[seat, d.active] = known
        listed = known
    waits = d.seat not in (NOBODY, seat) and d.asks in ON_TURN and court.counted != court.zug
    return [*listed, "count"] if law.count_out and waits else listed


def handle_accusation(d: State, seat: int, action: Action) -> bool:
    """ "Ein korrektes Anzweifeln wird mit einer Strafkarte seitens des Angezweifelten bestraft"."""
    law, court = d.compiled.law, d.court
    if action.word not in ("accuse", "count") or law is None or court is None:
        return False
    if action.text not in list_accusations(d, seat):
        return False
    court.tell(d.log)
    d.log.append(action.events()[seat])
    if action.word == "count":
        court.counted = court.zug
        side.give_penalty_card(d, d.seat)
        return True
    violation = _find_violation(d, action.target, action.detail)
    if violation is None:
        side.give_penalty_card(d, seat)
    else:
        court.guilt = tuple(other for other in court.guilt if other is not violation)
        _bring_charge(d, Charge(seat, violation))
    return True


def _find_violation(d: State, accused: int | None, kind: str) -> Violation | None:
    guilt = d.court.guilt if d.court is not None else ()
    return next((one for one in guilt if one.seat == accused and one.kind == kind), None)


def _bring_charge(d: State, charge: Charge) -> None:
    """The charge is heard at once, or when all have answered the window that is open."""
    court = d.court
    if court is None:
        return
    window = d.window
    if window is not None:
        if not court.charges:
            court.resume = window.resume
            d.window = window.then(plenum.hear_charges_after_window)
        court.charges += (charge,)
    else:
        court.charges = (charge,)
        court.paused = Paused(d, None, None)
        plenum.hear_charges(d)
