"""The race to the table's edge: a chosen card is laid, all touch the edge, and the last one is punished.

"Wird eine ausgewählte Karte gespielt, so müssen alle Spieler mit einem Zeigefinger die Tischkante berühren.
Der letzte Spieler erhält eine Strafkarte." Everybody says a reaction time at once; of equals the seat farther
clockwise from the one who laid the card is the last.
"""

from __future__ import annotations

from typing import Final

from maumau.game import side
from maumau.game.action import parse
from maumau.game.move import Menu
from maumau.game.state import State
from maumau.game.window import Window, open_window

SOME: Final = [parse(f"react:{time}") for time in range(0, 1000, 100)]  # listed; any other may be sent


def start_race(d: State, window: Window) -> None:
    """All who are still in say their times; then the deal goes on as the window says."""
    menu = Menu(dict.fromkeys(SOME, d.compiled.hold))
    window.menus = {seat: menu for seat in range(d.seats) if d.active >> seat & 1}
    window.resume = _end_race
    open_window(d, window, "react")


def _end_race(d: State, window: Window) -> None:
    for seat in sorted(window.replies):
        d.log.append(window.replies[seat].plain.events()[seat])
    times = {seat: int(reply.detail) for seat, reply in window.replies.items()}
    last = max(times, key=lambda seat: (times[seat], (seat - window.opener) % d.seats))
    side.give_penalty_card(d, last)
    window.rest(d, window)
