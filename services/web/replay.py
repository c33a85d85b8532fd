"""A deal set as the replay shows it: each seating from its record, with words for what happened."""

from msgspec.structs import replace

from maumau.answer import GetSetResponse, RuleSet
from maumau.game.own import load_text
from maumau.page.drawn import Drawn, draw_deal
from maumau.page.page import Note, tell_record


def seatings(found: GetSetResponse, rules: RuleSet | None, language: str) -> list[Drawn]:
    """The deals of a set in the order of their seatings, with words in this language."""
    own = load_text(rules.name, rules.variant_toml) if rules and rules.variant_toml else None
    entrants = (found.first_name, found.second_name)
    made = []
    for deal in found.set.deals:
        names = [entrants[number] for number in deal.entrants]
        notes = [Note(note.event, note.seat, note.text) for note in deal.notes]
        told = replace(tell_record("", deal.record, own), names=names, notes=notes)
        made.append(draw_deal(told, [language]))
    return made
