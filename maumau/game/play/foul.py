"""Fouls (`violations: full`) carried out: a card laid, or drawn, against the rules (swiss/foul.py).

"Als Regelverstoß bezeichnet man das vorsätzliche, aber auch das unbeabsichtigte Handeln gegen eine der
Regeln." The game goes on as if it had been right, until somebody accuses.
"""

from __future__ import annotations

from maumau.game.legal.decision import refresh_decision
from maumau.game.model.move import Move
from maumau.game.model.state import State
from maumau.game.notation.action import SEATS, Action
from maumau.game.notation.cards import NAMES
from maumau.game.notation.event import make_draw_event
from maumau.game.play.act import lay_any_card
from maumau.game.swiss import mau
from maumau.game.table import side, stock
from maumau.game.table.lay import lowest_copy


def lay_illegal_card(d: State, seat: int, _move: Move, action: Action) -> None:
    """Lay a card that does not fit; unless players enforce the rules, take it back at once."""
    if d.compiled.law.reports:
        move = d.compiled.move(action.plain)
        before = State()
        before.fill(d)
        side.commit_violation(d, seat, "card", before, lowest_copy(d.hands[seat], move.code))
        lay_any_card(d, seat, move, action)
        return
    d.log.append(action.events()[seat])
    d.log.append(f"{SEATS[seat]} back {NAMES[action.cards[0]]}")
    d.compiled.calls.give_penalty_card(d, seat)
    refresh_decision(d, seat)


def draw_too_many(d: State, seat: int, _move: Move, action: Action) -> None:
    """Draw a card too many: a penalty card where the rules say so, a violation elsewhere.

    "Zuviel gezogene Karten müssen als Strafkarten vor sich abgelegt werden".
    """
    if d.compiled.law.surplus:
        d.log.append(action.events()[seat])
        d.compiled.calls.give_penalty_card(d, seat)
    else:
        d.log.append(make_draw_event(seat, stock.draw_card(d, seat), "draw"))
        side.commit_violation(d, seat, "card")
    mau.judge_call(d, seat, action)
    refresh_decision(d, seat)
