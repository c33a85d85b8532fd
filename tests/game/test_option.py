"""Every value of every option of every variant: deals are played with it, and what must hold holds."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from maumau.errors import BadDeal, BadOption
from maumau.game import Deal, Rules, deal, load, variants
from maumau.game.ruleset import variant
from maumau.game.ruleset.option import ENGINE_OPTIONS, Option
from maumau.game.ruleset.own import load_text
from maumau.game.ruleset.rules import list_option_names, load_variant
from tests.game.check import conserved, hides, replays, scored
from tests.game.play import step

LOOKS = 150  # decisions after which a deal is looked at as it stands


def values(option: Option) -> list[Any]:
    """Other values than the default that an option may have; of numbers the least and some above it.

    With the defaults every property of a variant is tested.
    """
    numbers = () if option.least is None else (option.least, option.least + 1, option.least + 2)
    found = [*option.values, *(n for n in numbers if n <= option.limit)]
    return list({repr(value): value for value in found if repr(value) != repr(option.default)}.values())


CHOICES = [
    (name, key) for name in variants() for key, option in load_variant(name).options.items() if values(option)
]


def often(key: str) -> set[str]:
    """About two of the variants that have this option: each value is played in them in `make test`."""
    having = [name for name, each in CHOICES if each == key]
    return set(having[:: max(1, len(having) // 2)])


MARKED = [
    pytest.param(name, key, marks=[] if name in often(key) else pytest.mark.long) for name, key in CHOICES
]


def choices(name: str, key: str) -> Iterator[Rules]:
    """Yield the rules with each other value of an option, the others as they are."""
    for value in values(load_variant(name).options[key]):
        yield load(name, **{key: value})


def pairs(name: str, key: str, rng: random.Random) -> Iterator[Rules]:
    """Yield the rules with another value of this option and of each later one, where the two go together."""
    options = load_variant(name).options
    for other in list(options)[list(options).index(key) + 1 :]:
        both = {each: values(options[each]) for each in (key, other)}
        if all(both.values()):
            with suppress(BadOption):
                yield load(name, **{each: rng.choice(found) for each, found in both.items()})


def some_deal(rules: Rules, rng: random.Random) -> Deal:
    while True:
        try:
            return deal(rules, rng.randint(*rules.seats), f"{rng.random()}")
        except BadDeal:  # too few packs for this many seats
            assert rules.number("packs")


@pytest.mark.parametrize(("name", "key"), MARKED)
def test_whatever_an_option_says_what_always_holds_holds(name: str, key: str) -> None:
    """One deal for each value, many in `make fuzz`."""
    rng = random.Random(f"{name} {key}")
    times = max(1, settings.default.max_examples // 60)
    for rules in (rules for rules in choices(name, key) for _ in range(times)):
        check_deal(rules, rng)


@pytest.mark.long
@pytest.mark.parametrize(("name", "key"), CHOICES)
def test_whatever_two_options_say_what_always_holds_holds(name: str, key: str) -> None:
    rng = random.Random(f"{name} {key} and another")
    for rules in pairs(name, key, rng):
        check_deal(rules, rng)


def check_deal(rules: Rules, rng: random.Random) -> None:
    d = some_deal(rules, rng)
    for _ in range(LOOKS):
        if d.over:
            break
        step(d, rng, owed=rng.random() < 0.8)
        conserved(d)
    hides(d, rng)
    if d.over:
        scored(d)
    replays(d, rng)


@pytest.mark.parametrize("name", variants())
def test_another_value_of_an_option_is_refused_in_words(name: str) -> None:
    for key, option in load_variant(name).options.items():
        for value in ("nosuch", None, 10_000_000):
            with pytest.raises(BadOption, match=f"option {key} cannot be .*: it is "):
                load(name, **{key: value})
        if option.least is None and True not in option.values:
            with pytest.raises(BadOption, match="true"):
                load(name, **{key: True})


@pytest.mark.parametrize("name", variants())
def test_an_unknown_option_is_refused_with_those_that_are_known(name: str) -> None:
    with pytest.raises(BadOption, match=r"there is no option colour; known: .*places"):
        load(name, colour="red")


SCORED = ["schweizer", "schweizer_2016", "app", "shop_extended", "one_oh_one"]


@pytest.mark.parametrize("name", [name for name in variants() if name not in SCORED])
def test_places_go_with_points(name: str) -> None:
    """Played to the last, only the last one's hand counts, and only against the last one."""
    rng = random.Random(name)
    for chosen in ({"scoring": True}, {"ru101_scoring": True}, {"ts_score": "points"}):
        if set(chosen) <= set(load(name).options):
            rules = load(name, places=True, **chosen)
            d = deal(rules, 3, name)
            while not d.over:
                step(d, rng)
            left = [seat for seat in range(3) if seat not in d.out]
            assert all(d.points[seat] <= 0 for seat in d.out)
            assert all(d.places[seat] == max(d.places) for seat in left) or len(left) > 1


@pytest.mark.parametrize("name", SCORED)
def test_these_are_never_played_for_places(name: str) -> None:
    with pytest.raises(BadOption, match="option places cannot be true"):
        load(name, places=True)


def test_options_are_as_the_published_table_says() -> None:
    """A few that one may take for something else."""
    assert load("one_oh_one").options["seven_n"] == 2
    assert load("one_oh_one").options["after_penalty"] == "turn_ends"
    assert load("faraon").options["first_player"] == "winner"
    assert load("tschau_sepp").options["initial_dir"] == -1
    assert load("shop_extended").options["rounds"] == 10
    assert load("prsi_quick").options["quick_packs5"] == 2


@pytest.mark.parametrize("read", [Rules.flag, Rules.number, Rules.word])
def test_an_option_that_no_variant_has_is_an_error_and_not_a_default(read: Any) -> None:
    with pytest.raises(BadOption, match=r"^no variant has an option 'qr_real_quens'$"):
        read(load("prsi"), "qr_real_quens")


def test_an_option_of_other_variants_has_a_default() -> None:
    rules = load("prsi")
    others = list_option_names() - set(rules.options)
    assert {"qr_real_queens", "ace_cover"} <= others  # the engine reads the first one by name, only
    assert not any(rules.flag(name) for name in others)
    assert {rules.number(name, 7) for name in others} == {7}
    assert {rules.word(name) for name in others} == {""}


@pytest.mark.long
def test_each_option_that_code_reads_by_name_is_a_variants() -> None:
    found = set()
    for folder in ("maumau", "services"):
        for file in (Path(__file__).parents[2] / folder).rglob("*.py"):
            found |= set(_list_read_options(ast.parse(file.read_text(encoding="utf-8"))))
    assert found == ENGINE_OPTIONS
    assert found <= list_option_names()


def _list_read_options(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            name = node.args[0]
            is_read = node.func.attr in ("flag", "number", "word")
            if is_read and isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield name.value


def test_the_options_that_all_variants_have_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text, read = 'title = "Ours."\nextends = "mau_mau"\n', list[str]()
    parse = variant._parse_toml
    load_text("ours", text)
    monkeypatch.setattr(variant, "_parse_toml", lambda *given: read.append(given[1]) or parse(*given))
    load_text("ours", text)
    assert "ours" in read
    assert "every" not in read
