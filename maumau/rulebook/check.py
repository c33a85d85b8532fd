"""Checks of an author's own variant: each clause with the options that it requires, and complete deals."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from maumau.errors import BadDeal, BadOption, BadVariant, MaumauError
from maumau.game import Rules, deal, load_file
from maumau.game.play.start import compile_rules
from maumau.game.ruleset.clause import Clause
from maumau.game.ruleset.mistake import locate_quoted_word
from maumau.game.ruleset.own import refuse_known_name
from maumau.game.ruleset.variant import Variant
from maumau.rulebook.page import build_page

DEALS = 300


class Checked(NamedTuple):
    """Results of `deals` random deals: `stopped` before anybody was out, `decisions` on average."""

    rules: Rules
    deals: int
    stopped: int
    decisions: float


def check_file(file: Path, deals: int = DEALS) -> Checked:
    """Check a variant's file; raise BadVariant with the mistake, and line and column where that is a word."""
    rules = load_file(file)
    with _report_engine_errors(rules):
        try:
            compile_all(rules)
        except MaumauError as error:
            text = file.read_text(encoding="utf-8")
            raise BadVariant(f"variant {rules.name}: {locate_quoted_word(text, str(error))}") from None
        lengths = [_count_decisions(rules, number) for number in range(deals)]
    most = rules.number("max_decisions")
    return Checked(rules, deals, sum(length >= most for length in lengths), sum(lengths) / deals)


def check_own_variant(rules: Rules, seats: int) -> None:
    """Raise an error if a contest cannot be played by these rules because of an author's own variant.

    Raise BadVariant for the name of a known variant, and as `check_ends` does; known variants pass.
    """
    if rules.text:
        refuse_known_name(rules.name)
        check_ends(rules, seats)


def check_ends(rules: Rules, seats: int, deals: int = 20) -> None:
    """Raise BadVariant if random deals at `seats` seats do not end by themselves: they decide nothing.

    Also refuse rules that cannot be put into words, or cannot be played at one of their numbers of seats.
    """
    with _report_engine_errors(rules):
        for number in range(rules.seats[0], rules.seats[1] + 1):
            with suppress(BadDeal):  # too few cards for so many
                compile_rules(rules, number)
        build_page(rules)
        lengths = [_count_decisions(rules, number, seats) for number in range(deals)]
    stopped = sum(length >= rules.number("max_decisions") for length in lengths)
    if stopped > deals // 4:
        raise BadVariant(
            f"variant {rules.name}: of {deals} random deals {stopped} do not end and are stopped after "
            f"{rules.number('max_decisions'):,} decisions"
        )


@contextmanager
def _report_engine_errors(rules: Rules) -> Iterator[None]:
    """Raise BadVariant if the engine fails on rules that no check refuses: it has not been made for them."""
    try:
        yield
    except MaumauError:
        raise
    except Exception as error:
        raise BadVariant(
            f"variant {rules.name}: the engine cannot combine these rules"
            f" ({type(error).__name__}: {error}). This is also a bug in maumau: please report it and attach"
            " the file. Until it is fixed, remove clauses, the newest first, until the check passes."
        ) from error


def compile_all(rules: Rules) -> None:
    """Read everything that is read only in play, or for the rules page, with any options."""
    for options in _vary_options(rules.variant):
        try:
            chosen = Rules(rules.name, rules.variant, options, text=rules.text)
        except BadOption:  # options that do not go together, such as places and scoring
            if not options:
                raise
            continue
        for seats in rules.seats if options else range(rules.seats[0], rules.seats[1] + 1):
            _compile_variant(chosen, seats)
        build_page(chosen)


def _vary_options(variant: Variant) -> Iterator[dict[str, Any]]:
    """Yield the defaults, each value of each option that the file reads, and each clause's own options."""
    yield {}
    for name in list_read_options(variant):
        option = variant.options[name]
        numbers = [] if option.least is None else [option.least]
        for value in [*option.values, *numbers]:
            yield {name: value}
    for clause in _list_clauses(variant):
        yield {
            name: value[0] if isinstance(value, list) and value not in variant.options[name].values else value
            for name, value in clause.when.items()
            if name in variant.options
        }


def list_read_options(variant: Variant) -> list[str]:
    """Return the options that a clause of the variant reads."""
    clauses = msgspec.structs.replace(variant, options={}, title="", source="", extends="")
    return sorted(_collect_words(msgspec.to_builtins(clauses)) & set(variant.options))


def _collect_words(value: Any) -> set[str]:
    """Return every word in a clause, except quotations of sources."""
    if isinstance(value, dict):
        parts = [_collect_words(part) | {str(key)} for key, part in value.items() if key != "says"]
        return set().union(*parts)
    if isinstance(value, list | tuple):
        return set().union(*map(_collect_words, value))
    return {value} if isinstance(value, str) else set()


def _list_clauses(variant: Variant) -> list[Clause]:
    calls = [*variant.call.left, *variant.call.out]
    single = [*variant.violation, *variant.comeback, *variant.rescue, *variant.blind, *variant.lives]
    return [*variant.pack, *variant.card, *variant.together, *calls, *single, *variant.score]


def _compile_variant(rules: Rules, seats: int) -> None:
    try:
        compile_rules(rules, seats)
    except BadDeal:  # too few cards for this option is no mistake
        if not rules.chosen:
            raise


def _count_decisions(rules: Rules, number: int, seats: int = 0) -> int:
    """Return the decisions of a random deal, in which all calls are made; 0 seats: at any number of seats."""
    rng = random.Random(number)  # noqa: S311  # a game, not a secret
    d = deal(rules, seats or rng.randint(*rules.seats), f"check {number}")
    made = 0
    while not d.over:
        seat = rng.choice(d.to_act)
        listed = d.legal(seat)
        plays = [action for action in listed if not action.word]
        action = rng.choice(plays if plays and rng.random() < 0.8 else listed)  # drawing alone never ends
        d.apply(seat, action + d.due(seat, action))
        made += 1
    return made
