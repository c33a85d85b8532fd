"""The end of a turn: its stages between the last effect of a card and the passing of the turn."""

from __future__ import annotations

from maumau.game.features.effect import flip_direction
from maumau.game.model.move import Move
from maumau.game.model.state import PAUSED, State, TurnProgress, edit_features
from maumau.game.notation.action import Action
from maumau.game.table.window import take_replies


def check_call_without_card(d: State, seat: int, _move: Move, action: Action) -> TurnProgress | None:
    """Check the call of a seat that has ended its turn without laying a card."""
    d.compiled.calls.judge_turn(d, seat, action)
    return None


def end_turn(d: State, _seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Count a turn in which kings could be thrown in, and make a reversal that was put off until now."""
    for feature in d.compiled.hooks.end_turn:
        feature.end_turn(d)
    if d.features.turning:
        edit_features(d).turning = False
        flip_direction(d)
    return None


def ask_for_accusations(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Ask the others for accusations, if players enforce the calls."""
    return PAUSED if d.compiled.calls.ask_for_accusations(d, seat) else None


def end_zug(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """End the Zug; settling the up card belongs to none, as it precedes the first."""
    take_replies(d)
    d.compiled.calls.end_zug(d, seat)
    return None


def begin_first_zug(d: State, _seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Begin the first Zug: the cards are dealt, and the up card is settled."""
    d.compiled.calls.begin_first_zug(d)
    return None
