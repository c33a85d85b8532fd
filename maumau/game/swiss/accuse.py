"""Accusations of rule violations.

"Jeder Mitspieler kann anzweifeln, sprich er teilt der Spielgruppe mit, er hätte ein Regelverstoß beobachtet."
"""

from __future__ import annotations

from typing import Final

from maumau.game.model.court import Charge, Paused, Violation
from maumau.game.model.state import NOBODY, ON_TURN, State
from maumau.game.notation.action import SEATS, Action

BUSY: Final = ("appeal", "vote", "react")  # nobody is accused while the court sits, or a race is run


def list_accusations(d: State, seat: int) -> list[str]:
    """Return the accusations that a seat could make now against the others, as notation."""
    law, court = d.compiled.law, d.court
    if d.over or d.top < 0 or d.asks in BUSY or not d.active >> seat & 1:
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
    """Carry out an accusation.

    "Ein korrektes Anzweifeln wird mit einer Strafkarte seitens des Angezweifelten bestraft".
    """
    court = d.court
    if action.word not in ("accuse", "count"):
        return False
    if action.text not in list_accusations(d, seat):
        return False
    court.note_closed_windows(len(d.log))
    d.log.append(action.events()[seat])
    if action.word == "count":
        court.counted = court.zug
        d.compiled.calls.give_penalty_card(d, d.seat)
        return True
    violation = _find_violation(d, action.target, action.detail)
    if violation is None:
        d.compiled.calls.give_penalty_card(d, seat)
    else:
        court.guilt = tuple(other for other in court.guilt if other is not violation)
        _bring_charge(d, Charge(seat, violation))
    return True


def _find_violation(d: State, accused: int | None, kind: str) -> Violation | None:
    return next((one for one in d.court.guilt if one.seat == accused and one.kind == kind), None)


def _bring_charge(d: State, charge: Charge) -> None:
    """Bring a charge, which is heard at once, or when all have answered the window that is open."""
    court = d.court
    court.charges += (charge,)
    if d.window is None:
        court.paused = Paused(d, None)
