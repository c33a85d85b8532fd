"""Bounds of a new contest: of a deal's length and of a game's deals, where its spec chooses none."""

from __future__ import annotations

import msgspec

from maumau.contest.format import count_seats
from maumau.contest.length import bound_length
from maumau.contest.score import SEATINGS
from maumau.contest.spec.spec import Spec, can_play_on
from maumau.contest.whole_game import PLACES, bound_game


def bound_spec(spec: Spec) -> Spec:
    """Return the spec with a bound of a deal's length, its own if it chooses one."""
    chosen, text = spec.options, spec.variant_toml or ""
    if spec.most_seats > SEATINGS and can_play_on(spec):
        chosen = {**chosen, PLACES: True}
    options = bound_length(spec.rules, chosen, text, spec.most_seats)
    return _bound_games(msgspec.structs.replace(spec, options=dict(sorted(options.items()))))


def _bound_games(spec: Spec) -> Spec:
    """Return the spec with the most deals of each game."""
    terms, stages, most = (spec.rules, spec.options, spec.variant_toml or ""), list(spec.stages), 0
    replace = msgspec.structs.replace
    for number, stage in enumerate(spec.stages, start=1):
        if stage.game:
            bound = bound_game(stage.game, *terms, count_seats(stage), f"stage {number}.game")
            stages[number - 1] = replace(stage, game=bound)
        elif spec.game:
            bound = bound_game(spec.game, *terms, count_seats(stage), "game")
            most = max(most, bound.deals or 0)
    game = replace(spec.game, deals=most) if spec.game and most else spec.game
    return replace(spec, stages=tuple(stages), game=game)
