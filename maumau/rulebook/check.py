"""Checking an author's own variant: each clause with the options that it asks for, and deals to their end."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from maumau.errors import BadDeal, BadOption, BadVariant, MaumauError
from maumau.game import Rules, deal, load_file
from maumau.game.clause import Clause
from maumau.game.mistake import locate_quoted_word
from maumau.game.start import compile_rules
from maumau.game.variant import Variant
from maumau.rulebook.page import page

DEALS = 300


class Checked(NamedTuple):
    """What was found in `deals` random deals: `stopped` before anybody was out, `decisions` on average."""

    rules: Rules
    deals: int
    stopped: int
    decisions: float


def check(file: Path, deals: int = DEALS) -> Checked:
    """Check a variant's file; BadVariant says what is wrong, with line and column where that is a word."""
    rules = load_file(file)
    try:
        compile_all(rules)
    except MaumauError as error:
        text = file.read_text(encoding="utf-8")
        raise BadVariant(f"variant {rules.name}: {locate_quoted_word(text, str(error))}") from None
    lengths = [_length(rules, number) for number in range(deals)]
    most = rules.number("max_decisions")
    return Checked(rules, deals, sum(length >= most for length in lengths), sum(lengths) / deals)


def check_ends(rules: Rules, seats: int, deals: int = 20) -> None:
    """BadVariant if random deals at `seats` seats do not end by themselves: then nothing can be decided."""
    lengths = [_length(rules, number, seats) for number in range(deals)]
    stopped = sum(length >= rules.number("max_decisions") for length in lengths)
    if stopped > deals // 4:
        raise BadVariant(
            f"variant {rules.name}: of {deals} random deals {stopped} do not end and are stopped after "
            f"{rules.number('max_decisions'):,} decisions"
        )


def compile_all(rules: Rules) -> None:
    """Everything is read that is only read when it is played, or told, whatever the options."""
    for options in _settings(rules.variant):
        try:
            chosen = Rules(rules.name, rules.variant, options, text=rules.text)
        except BadOption:  # options that do not go together, such as places and scoring
            if not options:
                raise
            continue
        for seats in rules.seats if options else range(rules.seats[0], rules.seats[1] + 1):
            _compile(chosen, seats)
        page(chosen)


def _settings(variant: Variant) -> Iterator[dict[str, Any]]:
    """The defaults, each value of each option that the file reads, and for each clause what it asks for."""
    yield {}
    for name in reads(variant):
        option = variant.options[name]
        numbers = [] if option.least is None else [option.least]
        for value in [*option.values, *numbers]:
            yield {name: value}
    for clause in _clauses(variant):
        yield {
            name: value[0] if isinstance(value, list) and value not in variant.options[name].values else value
            for name, value in clause.when.items()
            if name in variant.options
        }


def reads(variant: Variant) -> list[str]:
    """The options that a clause of the variant reads."""
    clauses = msgspec.structs.replace(variant, options={}, title="", source="", extends="")
    return sorted(_words(msgspec.to_builtins(clauses)) & set(variant.options))


def _words(value: Any) -> set[str]:
    """Every word in a clause, but for what sources say."""
    if isinstance(value, dict):
        parts = [_words(part) | {str(key)} for key, part in value.items() if key != "says"]
        return set().union(*parts)
    if isinstance(value, list | tuple):
        return set().union(*map(_words, value))
    return {value} if isinstance(value, str) else set()


def _clauses(variant: Variant) -> list[Clause]:
    calls = [*variant.call.left, *variant.call.out]
    single = [*variant.violation, *variant.comeback, *variant.rescue, *variant.blind, *variant.lives]
    return [*variant.pack, *variant.card, *variant.together, *calls, *single, *variant.score]


def _compile(rules: Rules, seats: int) -> None:
    try:
        compile_rules(rules, seats)
    except BadDeal:  # too few cards for this option is no mistake
        if not rules.chosen:
            raise


def _length(rules: Rules, number: int, seats: int = 0) -> int:
    """How many decisions a random deal takes, each with the call that it owes; 0: at any number of seats."""
    rng = random.Random(number)  # noqa: S311  # a game, not a secret
    d = deal(rules, seats or rng.randint(*rules.seats), f"check {number}")
    made = 0
    while not d.over:
        seat = rng.choice(d.to_act)
        listed = d.legal(seat)
        plays = [action for action in listed if not action.word]
        action = rng.choice(plays if plays and rng.random() < 0.8 else listed)  # who only draws never ends
        d.apply(seat, action + d.due(seat, action))
        made += 1
    return made
