"""A variant's page: its rules in words under headings, with quotations of the sources, and its options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from maumau.game import Rules
from maumau.game.ruleset.clause import Clause, Score
from maumau.game.ruleset.option import format_value
from maumau.game.ruleset.variant import Variant, load_variant
from maumau.rulebook import card, clause, german
from maumau.rulebook.meaning import LANGUAGES, TAKEN, tell_meaning
from maumau.rulebook.name import name_kinds
from maumau.rulebook.option import BEGINNING, END, POINTS, SECTIONS, SENTENCES, TURN, WORDS
from maumau.rulebook.sentence import tell_king_turn

CARDS = "Cards"
ALWAYS = (
    "A card fits if it has the suit or the rank of the card on top; after a wild card, the suit named.",
    "A player who must take cards or miss a turn may lay only a card that answers.",
)
FORFEITS = (
    (
        "A program that has lost a deal by a fault forfeits it: it is last, behind everybody who has not,"
        " however the deal ends, and its first legal action is played for it from then on."
    ),
    (
        "If it goes out all the same, nobody has won by that and its card has no effect on points; the first"
        " one out that has not forfeited has won."
    ),
    "A fault after the deal is over, or after the program has gone out, does not lose it.",
)
ORDER = (*SECTIONS[:2], CARDS, *SECTIONS[2:])


class RuleLine(NamedTuple):
    """One rule in words, with quotations of the sources."""

    text: str
    quotes: tuple[str, ...] = ()


class Setting(NamedTuple):
    """One option as in a variant's file: its value here, the default, what it may be, why, and in words."""

    name: str
    value: str
    default: str
    known: str
    source: str
    says: str = ""


class RulePage(NamedTuple):
    """A variant in words: `sections` are headings with their lines."""

    name: str
    title: str
    source: str
    seats: tuple[int, int]
    sections: list[tuple[str, list[RuleLine]]]
    options: list[Setting]


def build_page(rules: Rules, language: str = "en") -> RulePage:
    """Return the page of a variant with its options as chosen.

    Args:
        rules: The rules.
        language: `en` or `de`; what sources say stays in their own.
    """
    variant = rules.variant
    source = variant.source
    if variant.extends:
        base = TAKEN[LANGUAGES.index(language)].format(variant.extends)
        source += f"; {base}: {load_variant(variant.extends).source}"
    title, sections = variant.title, list(_build_sections(rules))
    if language == "de":
        title = title if rules.text else german.get_title(rules.name, title)
        sections = [_translate_section(heading, lines) for heading, lines in sections]
    return RulePage(rules.name, title, source, rules.seats, sections, _list_settings(rules))


def _translate_section(heading: str, lines: list[RuleLine]) -> tuple[str, list[RuleLine]]:
    """Translate a section into German."""
    told = [
        RuleLine(german.translate_line(line.text, about_cards=heading == CARDS), line.quotes)
        for line in lines
    ]
    return german.get_heading(heading), told


def _build_sections(rules: Rules) -> Iterator[tuple[str, list[RuleLine]]]:
    """Yield the headings with the rules of every table, and those of some numbers of players only."""
    few, many = _list_lines(rules, rules.seats[0]), _list_lines(rules, rules.seats[1])
    change = next((option.auto for option in rules.variant.options.values() if option.auto), None)
    for heading in ORDER:
        now, then = few[heading], many[heading]
        lines = [line for line in now if line in then]
        lines += [_limit_line(f"With fewer than {change} players", line) for line in now if line not in then]
        lines += [_limit_line(f"With {change} or more players", line) for line in then if line not in now]
        if lines:
            yield heading, lines


def _limit_line(when: str, line: RuleLine) -> RuleLine:
    return RuleLine(f"{when}: {line.text[0].lower()}{line.text[1:]}", line.quotes)


def _list_lines(rules: Rules, seats: int) -> dict[str, list[RuleLine]]:
    """Return the rules with this many players, by heading."""
    variant = rules.at(seats)
    lines: dict[str, list[RuleLine]] = {heading: [] for heading in ORDER}
    lines[TURN] = [RuleLine(text) for text in ALWAYS]
    for name, (heading, sentence) in SENTENCES.items():
        if name in rules.options and (text := sentence(rules, variant, rules.options[name])):
            lines[heading].append(RuleLine(text))
    _join_lines(lines[TURN])
    if "king_turn" not in rules.options and any(each.joined or each.twin for each in variant.card):
        lines[TURN].append(RuleLine(tell_king_turn(rules, variant, "from_interjector")))
    for heading, kept in _tell_clauses(rules, variant):
        lines[heading].append(kept)
    lines[END] += [RuleLine(text) for text in FORFEITS]
    for kinds, power, quotes in card.merge_cards(variant.card, rules.kinds):
        subject = name_kinds(kinds, rules.kinds)
        lines[CARDS].append(
            RuleLine(f"{subject[0].upper()}{subject[1:]}: {card.card_effects(power)}.", tuple(quotes))
        )
    return lines


def _join_lines(lines: list[RuleLine]) -> None:
    """Join a sentence that ends in a comma with the next one."""
    for at in range(len(lines) - 1, 0, -1):
        if lines[at - 1].text.endswith(","):
            lines[at - 1 : at + 1] = [RuleLine(f"{lines[at - 1].text} {lines[at].text}")]


def _tell_clauses(rules: Rules, variant: Variant) -> Iterator[tuple[str, RuleLine]]:
    """Yield the sentences of the other clauses, each under its heading."""
    told: list[tuple[str, list[Clause], clause.Phrases]] = [
        (BEGINNING, [*variant.pack], clause.PACK),
        (TURN, [*variant.together], clause.TOGETHER),
        (TURN, [*variant.blind], clause.BLIND),
        (TURN, [*variant.rescue], clause.RESCUE),
        (WORDS, [*variant.violation], clause.BREACH),
        (END, [*variant.comeback], clause.COMEBACK),
        (END, [*variant.lives], clause.LIVES),
        (POINTS, [_merge_scoring(rules, variant)], clause.SCORE),
        (POINTS, [*variant.growth[-1:]], clause.GROWTH),
    ]
    for heading, clauses, phrases in told:
        for each in clauses:
            if sentences := clause.clause_sentences(each, phrases):
                yield heading, RuleLine(" ".join(sentences), (each.says,) if each.says else ())
    for rule in variant.rule:
        takes = f"({', '.join(rule.takes)})" if rule.takes else ""
        yield POINTS, RuleLine(f"A rule that may be added: `{rule.name}{takes}`.", (rule.says,))
    for when, calls in (("With one card left", variant.call.left), ("With the last card", variant.call.out)):
        if calls:
            yield (
                WORDS,
                RuleLine(clause.call_sentence(calls[-1], when), (calls[-1].says,) if calls[-1].says else ()),
            )


def _merge_scoring(rules: Rules, variant: Variant) -> Score:
    """Return all rules of scoring, with the sources' quotations joined."""
    target = None if rules.number("rounds") else rules.number("target")
    first = Score(scored=rules.flag("scoring"), table=rules.word("score_table"), target=target)
    says = " ".join(each.says for each in variant.score if each.says)
    return msgspec.structs.replace(clause.merge_scores(variant.score, first), says=says)


def _list_settings(rules: Rules) -> list[Setting]:
    declared = rules.variant.options
    return [
        Setting(
            name,
            format_value(value),
            format_value(declared[name].default),
            declared[name].known(),
            declared[name].source,
            declared[name].says,
        )
        for name, value in rules.options.items()
    ]


# --- markdown --------------------------------------------------------------------------------------------


def render_markdown(told: RulePage) -> str:
    """Return the page in Markdown, with all its rules and options."""
    lines = [f"## {told.name}", "", f"**{told.title}**", ""]
    lines += [f"{told.seats[0]} to {told.seats[1]} players. Source: {told.source}.", ""]
    for heading, section in told.sections:
        lines += [f"### {heading}", ""]
        lines += [f"- {text}{''.join(f' *“{quote}”*' for quote in quotes)}" for text, quotes in section]
        lines.append("")
    lines += ["| option | default | known | what it decides | source |", "|---|---|---|---|---|"]
    lines += [
        f"| `{each.name}` | {each.default} | {each.known} | {tell_meaning(each.name, each.says)} "
        f"| {each.source} |"
        for each in told.options
    ]
    return "\n".join(lines) + "\n"
