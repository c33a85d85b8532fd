"""The options of every variant, their values and defaults, against the contract in `contract.toml`.

There `...` stands for values that no list holds.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from maumau.errors import BadOption
from maumau.game import load, variants
from maumau.game.ruleset.option import Option
from maumau.game.ruleset.variant import load_variant

CONTRACT: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "contract.toml").read_text())
RANGE = re.compile(r"(-?\d+)\.\.(\d*)")


def contract(name: str) -> dict[str, tuple[list[Any], Any]]:
    """Return the required options of a variant: values and default."""
    own = dict(CONTRACT[name])
    base = own.pop("base", "")
    rows = CONTRACT["all"] | CONTRACT.get(base, {}) | own
    return {key: (row[0], row[1]) for key, row in rows.items()}


@pytest.fixture(scope="module", params=[name for name in CONTRACT if name != "all"])
def named(request: pytest.FixtureRequest) -> tuple[str, dict[str, Option]]:
    return request.param, load_variant(request.param).options


def bounds(text: str) -> tuple[int | None, int | None]:
    """Return the least and the most of a range; None where the contract leaves it open."""
    if text == "number":
        return None, None
    least, _, most = text.partition("..")
    return int(least), int(most) if most else None


def test_every_variant_is_in_the_contract() -> None:
    assert set(variants()) == set(CONTRACT) - {"all"}


def test_a_variant_has_the_options_of_the_contract_and_no_others(
    named: tuple[str, dict[str, Option]],
) -> None:
    name, options = named
    assert set(options) == set(contract(name))


def test_an_option_has_its_values_and_its_default(named: tuple[str, dict[str, Option]]) -> None:
    name, options = named
    for key, option in options.items():
        values, default = contract(name)[key]
        if "..." in values:
            continue
        ranges = [value for value in values if value == "number" or RANGE.fullmatch(str(value))]
        words = sorted(repr(value) for value in values if value not in ranges)
        assert (key, repr(option.default)) == (key, repr(default))
        assert (key, sorted(map(repr, option.values))) == (key, words)
        assert (key, option.least is not None) == (key, bool(ranges))
        for least, most in map(bounds, ranges):
            assert (key, option.least) == (key, option.least if least is None else least)
            assert option.limit == most if most is not None else option.limit >= 20


def test_every_value_is_accepted_and_no_other(named: tuple[str, dict[str, Option]]) -> None:
    for key, option in named[1].items():
        numbers: list[Any] = [] if option.least is None else [option.least, option.limit]
        for value in (*option.values, *numbers):
            assert option.check(key, value) == value
        wrong: list[Any] = ["nonsense", None, 0.5, [], "true" if True in option.values else True]
        wrong += [] if option.least is None else [option.least - 1, option.limit + 1, str(option.least)]
        for value in wrong:
            with pytest.raises(BadOption, match=key):
                option.check(key, value)


@pytest.mark.parametrize("name", variants())
def test_an_unknown_option_or_value_is_named(name: str) -> None:
    with pytest.raises(BadOption, match="seven_stackin"):
        load(name, seven_stackin=True)
    with pytest.raises(BadOption, match="option packs cannot be 4: it is auto or 1 or 2 or 3"):
        load(name, packs=4)
