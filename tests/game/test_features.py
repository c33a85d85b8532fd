"""Features: one interface, nothing left in the core, and no cost for a variant that has none."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from maumau.game import deal, load, variants
from maumau.game.features.registry import FEATURES, OWN_STAGES
from maumau.game.model.compiled import CompiledRules
from maumau.game.model.feature import HOOKS, Calls, Feature, Hooks
from maumau.game.model.state import NO_COURT, UNUSED, State, edit_calls, edit_features
from maumau.game.play import turn
from maumau.game.play.start import compile_rules
from tests.game.play import step
from tests.support.house_rules import HOUSES, load_house_rules

GAME = Path(__file__).parents[2] / "maumau/game"
MAX_SLOTS = 35  # of a deal's state
MAX_ATTRIBUTES = 38  # of compiled rules
MAX_GUARDS = 7  # on a feature or on calls, outside what compiles the rules and says where a feature applies
GUARDED = {"blind", "claimed", "court", "law", "left", "out", "rule"}
COMPILING = {"model/compiled.py", "model/clash.py"}


def find_guards(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that ask whether a variant has a feature, but for those of functions without a name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
            is_none = isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value is None
            if is_none and name_of(node.left) in GUARDED:
                yield node.lineno
        if isinstance(node, ast.Attribute) and node.attr == "applies" and name_of(node.value) in GUARDED:
            yield node.lineno
        yield from find_guards(node)


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def test_state_compiled_rules_and_guards_do_not_grow() -> None:
    found = [
        f"{path.relative_to(GAME)}:{line}"
        for path in sorted(GAME.rglob("*.py")) if str(path.relative_to(GAME)) not in COMPILING
        for line in find_guards(ast.parse(path.read_text()))
    ]  # fmt: skip
    sizes = (len(list_fields(State)), len(list_fields(CompiledRules)), len(found))
    assert sizes == (MAX_SLOTS, MAX_ATTRIBUTES, MAX_GUARDS), found


@pytest.mark.parametrize("name", variants())
def test_nothing_is_bound_after_the_rules_are_compiled(name: str) -> None:
    compiled = compile_rules(load(name), load(name).seats[0])
    assert all(hasattr(compiled, slot) for slot in list_fields(CompiledRules))
    assert sum(isinstance(feature, Calls) for feature in compiled.features) == 1


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_a_feature_names_the_hooks_that_it_implements(feature: Feature) -> None:
    assert set(feature.hooks) == {hook for hook in HOOKS if hook in vars(type(feature))}


def test_every_stage_of_a_feature_is_in_a_turn() -> None:
    listed = {stage.__name__ for stage in (*turn.STAGES, *turn.LAST_CARD_STAGES)}
    assert listed >= OWN_STAGES


@pytest.mark.parametrize(
    ("name", "features"),
    [
        ("mau_mau", {"plain calls"}),
        ("prsi", {"plain calls"}),
        ("prsi_blind", {"claims", "plain calls"}),
        ("prsi_quick", {"card sets", "plain calls"}),
        (
            "schweizer",
            {"card sets", "gestures", "king throw", "last seven", "queen round", "Swiss court"},
        ),
    ],
)
def test_a_variant_has_the_features_of_its_rules(name: str, features: set[str]) -> None:
    found = {feature.name for feature in compile_rules(load(name), 2).features}
    assert found == features


def test_a_variant_without_features_asks_none_and_keeps_no_state_of_them() -> None:
    d = deal(load("mau_mau"), 2, "plain")
    assert not any(getattr(d.compiled.hooks, hook) for hook in list_fields(Hooks))
    rng = random.Random("plain")
    while not d.over:
        step(d, rng)
        assert d.features is UNUSED
        assert d.court is NO_COURT


@pytest.mark.parametrize("name", [*variants(), *HOUSES])
def test_what_copies_share_is_never_changed(name: str) -> None:
    rng = random.Random(f"{name} shared")
    rules = load(name) if name in variants() else load_house_rules(name)
    d = deal(rules, rules.seats[1], name)
    for _ in range(60):
        if d.over:
            break
        twin, calls, features = d.copy(), vars_of(d.calls), vars_of(d.features)
        step(d, rng, owed=rng.random() < 0.7)
        assert (vars_of(twin.calls), vars_of(twin.features)) == (calls, features)
    assert vars_of(UNUSED) == vars_of(type(UNUSED)().clear())
    assert vars_of(NO_COURT) == vars_of(type(NO_COURT)().clear(len(NO_COURT.side)))


def test_an_edit_is_the_deals_own() -> None:
    d = deal(load("mau_mau"), 2, "edited")
    twin = d.copy()
    edit_calls(d).said[0] = 1
    edit_features(d).queens = 1
    assert (twin.calls.said, twin.features.queens) == ([0, 0], -1)
    assert (d.calls.said, d.features.queens) == ([1, 0], 1)


def list_fields(kind: type) -> list[str]:
    """Return the fields of a native class, which has no `__slots__` where it is compiled."""
    names = kind.__slots__ if hasattr(kind, "__slots__") else kind.__mypyc_attrs__  # type: ignore[attr-defined]
    return [name for name in names if name != "__dict__"]


def vars_of(part: object) -> dict[str, object]:
    """Return copies of the fields of a native object, and of the lists and dicts in them."""
    found = {slot: getattr(part, slot) for slot in list_fields(type(part))}
    return {slot: value.copy() if isinstance(value, (list, dict)) else value for slot, value in found.items()}
