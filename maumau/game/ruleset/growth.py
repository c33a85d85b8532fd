"""Rules that players add: the catalogue, what an added rule changes, and which would contradict the others.

"Ein Spieler darf nach einer bestimmten Anzahl von Siegen neue Regeln hinzufügen." A rule is written as its
name and what it takes, `mirror(T)`; the catalogue is the variant's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import msgspec

from maumau.errors import BadRule
from maumau.game.notation import cards
from maumau.game.ruleset.clause import Addition, Card, Together
from maumau.game.ruleset.option import Value
from maumau.game.ruleset.power import EFFECTS, Power, compile_powers, overlay_clause, select_cards
from maumau.game.ruleset.variant import Variant

if TYPE_CHECKING:
    from maumau.game.ruleset.rules import Rules

FORM: Final = re.compile(r"([a-z_]+)(?:\(([0-9A-Z,]+)\))?")
ATTACK: Final = ("owe", "others", "target")  # effects on other players
TURN: Final = ("skip", "reverse", "cover", "again", "turn", "late")  # effects on whose turn it is


def list_changed_options(variant: Variant, added: tuple[str, ...]) -> dict[str, Value]:
    """Return the options that the added rules set."""
    values: dict[str, Value] = {}
    for text in added:
        values |= _find_entry(variant, text)[0].set
    return values


def list_grown_clauses(variant: Variant, added: tuple[str, ...]) -> Variant:
    """Return the variant with the clauses of the added rules after its own."""
    if not added:
        return variant
    read = [_find_entry(variant, text) for text in added]
    return msgspec.structs.replace(
        variant,
        card=variant.card + [_fill_template(entry, taken) for entry, taken in read if entry.card],
        together=variant.together
        + [
            msgspec.convert(_replace_places(entry.together, taken), Together)
            for entry, taken in read
            if entry.together
        ],
    )


def _find_entry(variant: Variant, text: str) -> tuple[Addition, list[str]]:
    """Return a rule's entry in the catalogue and its arguments; raise BadRule if there is none."""
    form = FORM.fullmatch(text)
    name, taken = form.groups() if form else (text, None)
    entry = next((entry for entry in variant.rule if entry.name == name), None)
    if entry is None:
        known = ", ".join(entry.name for entry in variant.rule) or "none"
        raise BadRule(f"there is no rule {text!r} to be added; known: {known}")
    given = taken.split(",") if taken else []
    if len(given) != len(entry.takes):
        takes = ", ".join(entry.takes)
        raise BadRule(f"{text}: {entry.name} takes {takes or 'nothing'}" + (", in brackets" if takes else ""))
    return entry, given


def _fill_template(entry: Addition, taken: list[str]) -> Card:
    clause = _replace_places(entry.card, taken)
    clause["on"] = [word for word in clause["on"] if word != "none"]
    return msgspec.convert(clause, Card)


def _replace_places(template: Any, taken: list[str]) -> Any:
    """Return the template with `$1` and `$2` replaced by the arguments: numbers where they are decimal."""
    if isinstance(template, dict):
        return {key: _replace_places(part, taken) for key, part in template.items()}
    if isinstance(template, list):
        return [str(_replace_places(part, taken)) for part in template]
    if isinstance(template, str) and template.startswith("$"):
        word = taken[int(template[1:]) - 1]
        return int(word) if word.isdecimal() else word
    return template


# --- which rules can be added ------------------------------------------------------------------------------


def add_rule(rules: Rules, text: str) -> Rules:
    """Return the rules with one more; raise BadRule with the reason if it cannot be added."""
    reason = explain_rule_refusal(rules, text)
    if reason:
        raise BadRule(f"{text} cannot be added: {reason}")
    return type(rules)(rules.name, rules.variant, rules.chosen, (*rules.added, text), rules.text)


def list_addable_rules(rules: Rules) -> list[str]:
    """Return every rule that can be added to these, in the order of the variant's catalogue."""
    found = []
    for entry in rules.variant.rule:
        for taken in product(*(_list_values(rules, entry, kind) for kind in entry.takes)):
            text = entry.name + (f"({','.join(taken)})" if taken else "")
            if not explain_rule_refusal(rules, text):
                found.append(text)
    return found


def _list_values(rules: Rules, entry: Addition, kind: str) -> list[str]:
    if kind == "number":
        return [str(number) for number in entry.numbers]
    names = [name for name in rules.cards if name != "XX"]
    ranks = sorted({name[0] for name in names}, key=cards.RANKS.index) if "rank" in kind else []
    return ranks + (names if "card" in kind else [])


def explain_rule_refusal(rules: Rules, text: str) -> str:
    """Return the reason why a rule cannot be added to these, or "" if it can."""
    try:
        entry, taken = _find_entry(rules.variant, text)
    except BadRule as error:
        return str(error)
    for word, kind in zip(taken, entry.takes, strict=True):
        if word not in _list_values(rules, entry, kind):
            return f"this game has no {kind} named {word}"
    if text in rules.added or (
        entry.set and all(rules.options.get(name) == value for name, value in entry.set.items())
    ):
        return "it holds already"
    return _find_contradiction(rules, entry, taken) if entry.card else ""


def _find_contradiction(rules: Rules, entry: Addition, taken: list[str]) -> str:
    """Return the reason against a rule: a card has one effect of each kind, and one rank must stay plain."""
    clause = _fill_template(entry, taken)
    before = _compile_card_powers(rules)
    kinds = cards.list_codes(rules.kinds)
    after = {
        code: overlay_clause(before[code], clause)
        for code in cards.list_codes(select_cards(clause.on) & rules.kinds)
    }
    for code, power in after.items():
        reason = _explain_clash(before[code], power, clause, entry.builds)
        if reason:
            return f"{cards.NAMES[code]} {reason}"
    busy = {code // 4 for code in kinds if _has_any_effect(after.get(code, before[code]), (*TURN, "mirror"))}
    if busy >= {code // 4 for code in kinds}:
        return "no rank would be left that neither changes whose turn it is nor mirrors"
    return ""


@lru_cache(maxsize=8)
def _compile_card_powers(rules: Rules) -> list[Power]:
    return compile_powers(rules.at(rules.seats[0]).card, 1)


def _explain_clash(before: Power, after: Power, clause: Card, builds: str) -> str:
    """Return the reason why one card cannot have this effect too, or "" if it can."""
    attacks, turns = _names_any(clause, ATTACK), _names_any(clause, TURN)
    blocks = (clause.skip and before.owe) or (clause.owe and before.skip)
    own = _has_any_effect(before, (*ATTACK, *TURN)) or before.wild
    same = all(getattr(before, name) == getattr(after, name) for name in EFFECTS)
    reasons = [
        (same, "does that already"),
        (builds and not _has_any_effect(before, (builds,)), "does not do what the rule builds on"),
        (before.mirror, "is a mirror"),
        (not builds and attacks and _has_any_effect(before, ATTACK), "attacks others already"),
        (not builds and turns and _has_any_effect(before, TURN), "changes already whose turn it is"),
        (blocks, "would both attack the next player and skip them"),
        (clause.mirror and own, "has an effect that a mirror has not"),
        (clause.target and (before.wild or before.joined), "cannot be aimed"),
    ]
    return next((words for holds, words in reasons if holds), "")


def _names_any(clause: Card, names: tuple[str, ...]) -> bool:
    return any(getattr(clause, name, None) for name in names)


def _has_any_effect(power: Power, names: tuple[str, ...]) -> bool:
    return any(getattr(power, name) for name in names)


# --- the right to add one ----------------------------------------------------------------------------------


def has_earned_rule(rules: Rules, players: int, before: int, now: int) -> bool:
    """Return True if a player whose points rose from `before` to `now` may add a rule.

    "Wie viele Gewinnpunkte für eine Regelergänzung notwendig sind, ist in der Tabelle festgelegt."
    """
    growth = rules.at(players).growth
    if not growth:
        return False
    need = int(growth[-1].quota[players - rules.seats[0]])
    return now // need > before // need
