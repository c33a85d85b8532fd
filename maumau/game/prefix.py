"""Beginnings of records: everything up to a moment of a deal, from which it can be played on."""

from __future__ import annotations

from maumau.errors import BadRecord
from maumau.game.deal import Deal
from maumau.game.record import event_lines
from maumau.game.replay import replay_stages
from maumau.game.ruleset.rules import Rules


def cut_at_stage(text: str, stage: int, own: Rules | None = None) -> tuple[str, Deal]:
    """Return the record up to a stage of its replay, from 0, and the deal as it stands there.

    own: the custom rules that the record may name. Raise BadRecord if nothing is left to play.
    """
    number = 0
    for number, (d, line) in enumerate(replay_stages(text, own=own)):
        if number == stage:
            return _keep(text, line, d)
    raise BadRecord(f"the record has no step {stage}; the last one is {number}")


def cut_before_event(text: str, number: int, own: Rules | None = None) -> tuple[str, Deal]:
    """Return the record up to the question to which an event, counted from 1, is the answer, and the deal.

    The arguments and the error are as in `cut_at_stage`.
    """
    found, events = None, 0
    for d, line in replay_stages(text, own=own):
        events = event_lines(d)[-1]
        if found is not None and events >= number:
            return _keep(text, *found)
        found = line, d.copy()
    raise BadRecord(f"the record has no event {number}; the last one is {events}")


def _keep(text: str, line: int, d: Deal) -> tuple[str, Deal]:
    if d.over:
        raise BadRecord("the deal is over there, so that nothing is left to play")
    return "\n".join(text.split("\n")[:line]) + "\n", d
