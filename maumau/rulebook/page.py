"""A variant's page: its rules in words under headings, with what the sources say, and its options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from maumau.game import Rules
from maumau.game.clause import Clause, Score
from maumau.game.option import format_value
from maumau.game.variant import Variant, load_variant
from maumau.rulebook import card, clause
from maumau.rulebook.name import group
from maumau.rulebook.option import BEGINNING, END, POINTS, SECTIONS, SENTENCES, TURN, WORDS

CARDS = "Cards"
ALWAYS = (
    "A card fits if it has the suit or the rank of the card on top; after a wild card, the suit named.",
    "A player who must take cards or miss a turn may lay only a card that answers.",
)
ORDER = (*SECTIONS[:2], CARDS, *SECTIONS[2:])


class Line(NamedTuple):
    """One thing that holds: in words, with what the sources say of it."""

    text: str
    quotes: tuple[str, ...] = ()


class Setting(NamedTuple):
    """One option: its value here, the default, what it may be, why; as written in a variant's file."""

    name: str
    value: str
    default: str
    known: str
    source: str


class Page(NamedTuple):
    """A variant in words: `sections` are headings with their lines."""

    name: str
    title: str
    source: str
    seats: tuple[int, int]
    sections: list[tuple[str, list[Line]]]
    options: list[Setting]


def page(rules: Rules) -> Page:
    """The page of a variant with its options as chosen."""
    variant = rules.variant
    base = (
        f"; what it has from {variant.extends}: {load_variant(variant.extends).source}"
        if variant.extends
        else ""
    )
    source = variant.source + base
    return Page(rules.name, variant.title, source, rules.seats, list(_sections(rules)), _settings(rules))


def _sections(rules: Rules) -> Iterator[tuple[str, list[Line]]]:
    """What holds at every table, and what holds only with some numbers of players."""
    few, many = _lines(rules, rules.seats[0]), _lines(rules, rules.seats[1])
    change = next((option.auto for option in rules.variant.options.values() if option.auto), None)
    for heading in ORDER:
        now, then = few[heading], many[heading]
        lines = [line for line in now if line in then]
        lines += [_only(f"With fewer than {change} players", line) for line in now if line not in then]
        lines += [_only(f"With {change} or more players", line) for line in then if line not in now]
        if lines:
            yield heading, lines


def _only(when: str, line: Line) -> Line:
    return Line(f"{when}: {line.text[0].lower()}{line.text[1:]}", line.quotes)


def _lines(rules: Rules, seats: int) -> dict[str, list[Line]]:
    """What holds with this many players, by heading."""
    variant = rules.at(seats)
    lines: dict[str, list[Line]] = {heading: [] for heading in ORDER}
    lines[TURN] = [Line(text) for text in ALWAYS]
    for name, (heading, sentence) in SENTENCES.items():
        if name in rules.options and (text := sentence(rules, variant, rules.options[name])):
            lines[heading].append(Line(text))
    _joined(lines[TURN])
    for heading, kept in _clauses(rules, variant):
        lines[heading].append(kept)
    for kinds, power, quotes in card.merged(variant.card, rules.kinds):
        subject = group(kinds, rules.kinds)
        lines[CARDS].append(Line(f"{subject[0].upper()}{subject[1:]}: {card.words(power)}.", tuple(quotes)))
    return lines


def _joined(lines: list[Line]) -> None:
    """A sentence that ends in a comma goes on with the next one."""
    for at in range(len(lines) - 1, 0, -1):
        if lines[at - 1].text.endswith(","):
            lines[at - 1 : at + 1] = [Line(f"{lines[at - 1].text} {lines[at].text}")]


def _clauses(rules: Rules, variant: Variant) -> Iterator[tuple[str, Line]]:
    """What the other clauses say, each under its heading."""
    told: list[tuple[str, list[Clause], clause.Phrases]] = [
        (BEGINNING, [*variant.pack], clause.PACK),
        (TURN, [*variant.together], clause.TOGETHER),
        (TURN, [*variant.blind], clause.BLIND),
        (TURN, [*variant.rescue], clause.RESCUE),
        (WORDS, [*variant.violation], clause.BREACH),
        (END, [*variant.comeback], clause.COMEBACK),
        (END, [*variant.lives], clause.LIVES),
        (POINTS, [_score(rules, variant)], clause.SCORE),
        (POINTS, [*variant.growth[-1:]], clause.GROWTH),
    ]
    for heading, clauses, phrases in told:
        for each in clauses:
            if sentences := clause.words(each, phrases):
                yield heading, Line(" ".join(sentences), (each.says,) if each.says else ())
    for rule in variant.rule:
        takes = f"({', '.join(rule.takes)})" if rule.takes else ""
        yield POINTS, Line(f"A rule that may be added: `{rule.name}{takes}`.", (rule.says,))
    for when, calls in (("With one card left", variant.call.left), ("With the last card", variant.call.out)):
        if calls:
            yield WORDS, Line(clause.call(calls[-1], when), (calls[-1].says,) if calls[-1].says else ())


def _score(rules: Rules, variant: Variant) -> Score:
    """All that holds of scoring, what the sources say of it joined."""
    target = None if rules.number("rounds") else rules.number("target")
    first = Score(scored=rules.flag("scoring"), table=rules.word("score_table"), target=target)
    says = " ".join(each.says for each in variant.score if each.says)
    return msgspec.structs.replace(clause.merged(variant.score, first), says=says)


def _settings(rules: Rules) -> list[Setting]:
    declared = rules.variant.options
    return [
        Setting(
            name,
            format_value(value),
            format_value(declared[name].default),
            declared[name].known(),
            declared[name].source,
        )
        for name, value in rules.options.items()
    ]


# --- markdown --------------------------------------------------------------------------------------------


def markdown(told: Page) -> str:
    """The page as a chapter of docs/rules.md."""
    lines = [f"## {told.name}", "", f"**{told.title}**", ""]
    lines += [f"{told.seats[0]} to {told.seats[1]} players. Source: {told.source}.", ""]
    for heading, section in told.sections:
        lines += [f"### {heading}", ""]
        lines += [f"- {text}{''.join(f' *“{quote}”*' for quote in quotes)}" for text, quotes in section]
        lines.append("")
    lines += ["| option | default | known | source |", "|---|---|---|---|"]
    lines += [f"| `{each.name}` | {each.default} | {each.known} | {each.source} |" for each in told.options]
    return "\n".join(lines) + "\n"
