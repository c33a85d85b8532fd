"""Prints docs/reference/rules.md: every variant in words (`make rules`)."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator

from maumau.game import load, variants
from maumau.game.model.scoring import TABLES
from maumau.game.ruleset.clause import Score
from maumau.game.ruleset.variant import every_option
from maumau.rulebook.clause import SCORE
from maumau.rulebook.meaning import tell_meaning
from maumau.rulebook.page import ORDER, RuleLine, RulePage, Setting, build_page
from maumau.rulebook.reference_option import list_declared

HEAD = """# The rules

`make rules` writes this page from `maumau/variants/*.toml`, the files that the engine plays by. A variant \
that is made of another one is told by its differences. `maumau rules show NAME` and the page of an arena \
tell each in full, with the words of its sources and with other options (`--option NAME=VALUE`); \
`maumau rules check my.toml` checks one of your own. The sources 000 to 003 are in [sources.md](sources.md).

"""
OPTIONS = """## Options

[variant.md](variant.md#options) explains the options that the engine reads by itself; these are the others, \
which clauses read. Where a variant allows other values than those known here and there, its list says so.

| option | known | what it decides |
|---|---|---|
"""
FIXED = "fixed"
IN_PLACE = "These do not hold:"
MOST = 0.75
"""The share of variants from which a rule counts as usual."""
USUAL = "Usual rules"
TOLD_USUAL = "They hold in every variant but where its chapter says otherwise, and so do the options."
VALUES = {SCORE["table"](Score(table=name)): name for name in TABLES}
"""The sentence on each table of cards' values, which its name stands for on the page."""
Rule = tuple[str, RuleLine]
"""A heading with one rule below it."""
Default = tuple[str, str, str]
"""An option's name, default and known values."""


def page_text() -> str:
    """Return the whole page."""
    pages = {name: build_page(load(name)) for name in variants()}
    every = every_option()
    known = _find_known([each for told in pages.values() for each in told.options])
    known |= {name: _sort_word(option.known()) for name, option in every.items()}
    usual = _find_usual([*pages.values()])
    contents = " · ".join(f"[{name}](#{name})" for name in pages) + "\n"
    parts = [HEAD + contents, f"## {usual.name}\n\n{usual.title}\n\n" + _write_sections(_list_rules(usual))]
    parts.append(_write_options(usual.options, known))
    parts.append("## Values of cards\n\n" + "".join(f"- `{name}`: {told}\n" for told, name in VALUES.items()))
    for name, told in pages.items():
        parts.append(_write_chapter(told, pages.get(load(name).variant.extends or "", usual), known))
    others = sorted(known.keys() - every.keys() - set(list_declared()))
    rows = [f"| `{name}` | {known[name]} | {tell_meaning(name)} |" for name in others]
    return "\n".join(parts) + "\n" + OPTIONS + "\n".join(rows) + "\n"


def _find_usual(pages: list[RulePage]) -> RulePage:
    """Return the rules that most variants have, and the options that all have, as a page of their own."""
    counts = Counter((heading, line.text) for told in pages for heading, line in _list_rules(told))
    most = [rule for rule, count in counts.items() if count >= MOST * len(pages)]
    sections = [(title, [RuleLine(text) for heading, text in most if heading == title]) for title in ORDER]
    options: dict[str, list[Setting]] = {}
    for each in (each for told in pages for each in told.options):
        options.setdefault(each.name, []).append(each)
    usual = [_find_most(same) for same in options.values() if len(same) == len(pages)]
    return RulePage(USUAL, TOLD_USUAL, "", (0, 0), [each for each in sections if each[1]], usual)


def _find_most(same: list[Setting]) -> Setting:
    """Return an option as most variants have it."""
    counts = Counter(map(_default_of, same))
    return max(same, key=lambda each: (counts[_default_of(each)], each.known))


def _list_rules(told: RulePage) -> Iterator[Rule]:
    for heading, lines in told.sections:
        yield from ((heading, line) for line in lines)


def _name_tables(text: str) -> str:
    """Put the name of a table in place of its values."""
    for told, name in VALUES.items():
        text = text.replace(told, f"Cards left in hand count by `{name}`.")
    return text


def _has_rule(told: RulePage, rule: Rule) -> bool:
    return any((heading, line.text) == (rule[0], rule[1].text) for heading, line in _list_rules(told))


def _write_sections(rules: Iterable[Rule]) -> str:
    """Return rules in Markdown, below their headings, without quotations: readings.md has those."""
    lines: list[str] = []
    last = ""
    for heading, line in rules:
        if heading != last:
            lines += ["", f"### {heading}", ""] if last else [f"### {heading}", ""]
        last = heading
        lines.append(f"- {_name_tables(line.text)}")
    return "\n".join(lines) + "\n"


def _default_of(each: Setting) -> Default:
    return each.name, each.default, _sort_word(each.known)


def _write_chapter(told: RulePage, base: RulePage, known: dict[str, str]) -> str:
    """Return a variant's chapter: the differences from the variant that it is made of, or from the usual."""
    parts = [f"## {told.name}\n\n**{told.title}**\n"]
    parts.append(f"{told.seats[0]} to {told.seats[1]} players. Source: {told.source}.\n")
    if own := [rule for rule in _list_rules(told) if not _has_rule(base, rule)]:
        parts.append(_write_sections(own))
    if gone := [line for heading, line in _list_rules(base) if not _has_rule(told, (heading, line))]:
        parts.append(f"{IN_PLACE}\n\n" + "\n".join(f"- {_name_tables(line.text)}" for line in gone) + "\n")
    same = {_default_of(each) for each in base.options}
    if changed := [each for each in told.options if _default_of(each) not in same]:
        parts.append(_write_options(changed, known))
    if base.name != USUAL:
        parts.insert(2, f"As in [{base.name}](#{base.name}){', except:' if parts[2:] else '.'}\n")
    return "\n".join(parts)


def _find_known(options: Iterable[Setting]) -> dict[str, str]:
    """Return what each option may be in most variants, in an order that does not depend on its default."""
    counts: dict[str, Counter[str]] = {}
    for each in options:
        counts.setdefault(each.name, Counter())[_sort_word(each.known)] += 1
    return {name: max(sorted(found), key=lambda known: found[known]) for name, found in counts.items()}


def _sort_word(known: str) -> str:
    return " or ".join(sorted(known.split(" or "), key=lambda value: (value.startswith("a "), value)))


def _write_options(options: Iterable[Setting], known: dict[str, str]) -> str:
    """Return the defaults of options in one paragraph."""
    return f"Options: {'; '.join(_write_option(each, known[each.name]) for each in options)}.\n"


def _write_option(each: Setting, usual: str) -> str:
    values = _sort_word(each.known)
    if values == usual:
        return f"`{each.name}` {each.default}"
    return f"`{each.name}` {each.default} ({FIXED if values == each.default else values})"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a text file on a descriptor
    sys.stdout.write(page_text())
