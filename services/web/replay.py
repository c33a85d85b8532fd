"""A deal set as the replay shows it: each seating from its record, with words for what happened."""

from collections.abc import Sequence
from typing import Any

import msgspec

from maumau.answer import GetSetResponse, RuleSet
from maumau.game.own import load_text
from maumau.page.page import Note, Told, from_record
from maumau.page.words import tell_event
from services.web.mark import mark


class Seating(msgspec.Struct, frozen=True):
    """A deal of a set. words: what each of its events is in the language of the page; players: by seat."""

    names: list[str]
    players: list[dict[str, Any]]
    stages: list[Any]
    places: list[int]
    points: list[int]
    notes: list[Note]
    words: dict[str, str]


def seatings(found: GetSetResponse, rules: RuleSet | None, language: str) -> list[Seating]:
    """The deals of a set in the order of their seatings; what strangers wrote is as they wrote it."""
    own = load_text(rules.name, rules.variant_toml) if rules and rules.variant_toml else None
    entrants = (found.first_name, found.second_name)
    made = []
    for deal in found.set.deals:
        told = from_record("", deal.record, own)
        names = [entrants[number] for number in deal.entrants]
        notes = [Note(note.event, note.seat, note.text) for note in deal.notes]
        made.append(_seating(told, names, notes, language))
    return made


def _seating(told: Told, names: Sequence[str], notes: list[Note], language: str) -> Seating:
    events = {event for stage in told.stages for seen in (stage.open, *stage.seen) for event in seen}
    return Seating(
        list(names),
        [{"name": name, "hue": mark(name).hue, "path": mark(name).path} for name in names],
        [_whole(stage) for stage in told.stages],
        told.places,
        told.points,
        notes,
        {event: tell_event(event, names, language) for event in sorted(events)},
    )


def _whole(stage: Any) -> dict[str, Any]:
    """With the fields that have their defaults, which a script then need not know."""
    plain: dict[str, Any] = {name: getattr(stage, name) for name in stage.__struct_fields__}
    return plain
