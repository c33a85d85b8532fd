"""Replays of deal sets: each seating from its record, with sentences for the events."""

from collections.abc import Sequence
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from maumau.client.answer import RuleSet, SetResult
from maumau.game import Rules
from maumau.game.ruleset.own import load_text
from maumau.page.drawn import Drawn, draw_deal
from maumau.page.page import PageNote, tell_record


class SetList(Struct, frozen=True):
    """The deal sets of a match, a pairing or practice: its bots, the way to it, and the address of its sets.

    way: texts and addresses. sets: their number; None if the last one is unknown, so that the link to the
    next set is always shown.
    """

    names: tuple[str, ...]
    way: tuple[tuple[str, str], ...]
    at: str
    sets: int | None = None


def make_match_sets(contest: str, label: str, names: Sequence[str]) -> SetList:
    here = f"/contests/{quote(contest, safe='')}"
    match = f"{here}/matches/{quote(label, safe='')}"
    return SetList(tuple(names), ((contest, here), (label, match)), f"{match}/sets")


def make_pairing_sets(ladder: str, pairing: str, names: Sequence[str], sets: int) -> SetList:
    here = f"/ladders/{quote(ladder, safe='')}"
    found = f"{here}/pairings/{quote(pairing, safe='')}"
    return SetList(tuple(names), ((ladder, here), (pairing, found)), f"{found}/sets", sets)


def make_practice_sets(practice_id: str, names: Sequence[str], sets: int, title: str) -> SetList:
    found = f"/me/practice/{quote(practice_id, safe='')}"
    return SetList(tuple(names), ((title, found),), f"{found}/sets", sets)


def build_seatings(
    found: SetResult, names: Sequence[str], rules: RuleSet | None, language: str
) -> list[Drawn]:
    """Return the deals of a set in the order of their seatings, with sentences in this language.

    names: of the entrants.
    """
    own = load_own_rules(rules)
    made = []
    for deal in found.deals:
        notes = [PageNote(note.event, note.seat, note.text) for note in deal.notes]
        seated = [names[number] for number in deal.entrants]
        told = replace(tell_record("", deal.record, own), names=seated, notes=notes)
        made.append(draw_deal(told, [language]))
    return made


def load_own_rules(rules: RuleSet | None) -> Rules | None:
    """Return the custom variant of a contest; None if it has none."""
    return load_text(rules.name, rules.variant_toml) if rules and rules.variant_toml else None


def join_records(found: SetResult) -> str:
    """Return the records of a set, one after the other."""
    return "\n".join(deal.record.rstrip("\n") for deal in found.deals) + "\n"
