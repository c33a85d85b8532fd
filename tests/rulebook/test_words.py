"""Variants in words: nothing that a variant's file can say is passed over in silence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, get_args

import msgspec
import pytest

from maumau.errors import BadDeal, BadOption
from maumau.game import Rules, load, variants
from maumau.game.ruleset.clause import Calls, Card, Clause, Pack
from maumau.game.ruleset.option import Option, Value
from maumau.game.ruleset.power import AFTER, AGAIN, COVERS, LASTS, NAMES, SKIPS
from maumau.game.ruleset.variant import Variant
from maumau.game.ruleset.variant import load_variant as read_variant
from maumau.rulebook import build_page, card, clause, render_markdown
from maumau.rulebook.check import list_read_options
from maumau.rulebook.option import SENTENCES
from tests.support.kinds import one_of

load_variant = cache(read_variant)
PHRASES = {"Card": card.PHRASES, "Call": clause.CALL} | {
    name.capitalize(): phrases
    for name, phrases in vars(clause).items()
    if name.isupper() and name != "SCORED"
}
KINDS = [
    get_args(field.type)[0]
    for model in (Variant, Calls)
    for field in msgspec.structs.fields(model)
    if get_args(field.type)
    and isinstance(get_args(field.type)[0], type)
    and issubclass(get_args(field.type)[0], Clause)
]
# the words that a field may have, where its type does not say
VALUES: dict[str, Sequence[Any]] = {
    "after": list(AFTER), "skip": SKIPS, "names": NAMES, "cover": COVERS, "again": AGAIN, "last": LASTS,
    "owe": [1, 2, 3], "answer": [["7"], ["KS"]], "not_on": [["7"]], "swap": [["Q"]],
}  # fmt: skip
BESIDE: list[dict[str, Any]] = [
    {}, {"owe": 2, "after": "full_turn"}, {"owe": 2, "answer": ["7"]}, {"skip": "pass_on", "answer": ["A"]},
    {"skip": "faraon", "answer": ["A"]}, {"target": 1}, {"wild": True},
    {"last": "chain"},
]  # fmt: skip


def prose(rules: Rules) -> str:
    """Return the page without its table of options."""
    return render_markdown(build_page(rules)).partition("| option |")[0]


@cache
def told(name: str, chosen: tuple[tuple[str, Any], ...]) -> str:
    try:
        return prose(load(name, **{key: list(v) if isinstance(v, tuple) else v for key, v in chosen}))
    except (BadOption, BadDeal):
        return ""


OPTIONS = sorted({option for name in variants() for option in load_variant(name).options})


def values(option: Option) -> list[Value]:
    numbers = [] if option.least is None else [option.least + 1, option.least + 2]
    selectors = {"": [], "card": ["KD"], "rank or card": ["T", "KD"]}[option.selects]
    return [*option.values, *numbers, *selectors]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_field_of_a_clause_has_its_words(kind: type[Clause]) -> None:
    fields = set(kind.__struct_fields__) - {"when", "says", "on"}
    assert fields == set(PHRASES[kind.__name__]), "words belong into maumau/rulebook/card.py or clause.py"


@pytest.mark.parametrize("field", sorted(set(card.PHRASES) - {"plain"}))
def test_every_field_of_a_card_changes_what_is_said(field: str) -> None:
    kind = next(each.type for each in msgspec.structs.fields(Card) if each.name == field)
    sample = VALUES.get(field) or ([3] if int in get_args(kind) and bool not in get_args(kind) else [True])
    for value in sample:
        assert any(
            card.card_effects(Card(**{"on": ["7"], **beside, field: value}))
            != card.card_effects(Card(on=["7"], **beside))
            for beside in BESIDE
        ), value


@cache
def read(name: str) -> set[str]:
    return set(list_read_options(load_variant(name)))


@pytest.mark.parametrize("option", one_of(2, OPTIONS))
def test_every_option_has_its_words(option: str) -> None:
    """Options with one value need none: they cannot say anything else."""
    declared = [load_variant(name).options.get(option) for name in variants()]
    single = all(values(each) == [each.default] for each in declared if each)
    known = option in SENTENCES or any(option in read(name) for name in variants())
    assert single or known, (
        "the words of an option that no clause reads belong into maumau/rulebook/option.py"
    )


@pytest.mark.sample(22)
@pytest.mark.parametrize("option", one_of(2, OPTIONS))
def test_another_value_of_an_option_gives_other_words(option: str) -> None:
    """In some variant, and perhaps only with another option: a cut is repeated where there is a cut."""
    declared = {name: load_variant(name).options for name in variants()}
    reading = sorted(
        (name for name in declared if option in declared[name]), key=lambda name: option not in read(name)
    )
    for value in {
        repr(value): value for name in reading for value in values(declared[name][option])
    }.values():
        tried = [name for name in reading if value in values(declared[name][option])]
        assert any(
            value == declared[name][option].default or unlike(name, option, value, more)
            for more in (False, True)
            for name in tried
        ), value


def unlike(name: str, option: str, value: Value, more: bool) -> bool:
    """Return True if this value has other words than the default, perhaps with another option changed."""
    others = load_variant(name).options.items() if more else []
    beside = [
        ((other, freeze(choice)),) for other, each in others if other != option for choice in each.values
    ]
    return any(
        "" != told(name, (*also, (option, freeze(value)))) != told(name, also) != ""
        for also in beside or [()]
    )


def freeze(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@pytest.mark.parametrize("name", variants())
def test_every_option_says_where_it_is_from(name: str) -> None:
    assert [key for key, option in load_variant(name).options.items() if not option.source] == []


@pytest.mark.parametrize(
    ("without", "text"),
    [
        (["8"], "The pack has no eights."),
        (["8", "9", "T"], "The pack has no eights, nines or tens."),
        (["XX", "KH"], "The pack has no jokers or king of hearts."),
    ],
)
def test_what_a_pack_lacks_is_told_in_a_sentence(without: list[str], text: str) -> None:
    assert clause.PACK["without"](Pack(without=without)) == text
