"""The race to the table's edge: a chosen card is laid, all touch the edge, and the last one is punished.

"Wird eine ausgewählte Karte gespielt, so müssen alle Spieler mit einem Zeigefinger die Tischkante berühren.
Der letzte Spieler erhält eine Strafkarte." Everybody says a reaction time at once; of equals the seat farther
clockwise from the one who laid the card is the last.
"""

from __future__ import annotations

from typing import Final

from maumau.game.model.compiled import CompiledRules
from maumau.game.model.feature import Feature
from maumau.game.model.move import HOLD, Move, make_menu
from maumau.game.model.state import PAUSED, State, TurnProgress, Window
from maumau.game.notation.action import Action, parse
from maumau.game.table.window import open_window, take_replies

SOME: Final = [parse(f"react:{time}") for time in range(0, 1000, 100)]  # listed; any other may be sent


class EdgeRace(Feature):
    """The race to the table's edge."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            "edge race",
            _has_chosen_cards,
            {
                "ask_reaction_times": lambda _, move: move.touch,
                "punish_slowest": lambda _, move: move.touch,
            },
        )


def _has_chosen_cards(compiled: CompiledRules) -> bool:
    return any(compiled.powers[code].touch for code in compiled.pack.kinds)


def ask_reaction_times(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Ask all active seats for their times."""
    menu = make_menu(dict.fromkeys(SOME, HOLD))
    menus = {other: menu for other in range(d.seats) if d.active >> other & 1}
    open_window(d, Window(seat, menus), "react")
    return PAUSED


def punish_slowest(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Give the slowest a penalty card."""
    window = take_replies(d)
    if window is not None:
        for other in sorted(window.replies):
            d.log.append(window.replies[other].plain.events()[other])
        times = {other: int(reply.detail) for other, reply in window.replies.items()}
        slowest = max(times, key=lambda other: (times[other], (other - seat) % d.seats))
        d.compiled.calls.give_penalty_card(d, slowest)
    return None
