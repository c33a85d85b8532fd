"""The pages on variants and specs explain every key, and what they show can be played."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from maumau.contest.format import FORMATS
from maumau.contest.score import UNITS
from maumau.contest.spec import Spec, Stage, parse_spec
from maumau.errors import BadVariant
from maumau.game import load_text, variants
from maumau.game.action import VIOLATIONS
from maumau.game.clause import Card
from maumau.game.compiled import PENALTIES, UNTIL
from maumau.game.growth import add_rule
from maumau.game.power import AFTER, AGAIN, COVERS, EFFECTS, LASTS, NAMES, SKIPS
from maumau.game.score import TABLES
from maumau.game.variant import every_option, load_variant, read_variant
from maumau.rulebook import reference
from maumau.rulebook.check import compile_all

ROOT = Path(__file__).parents[2]
VARIANT, CONTEST = (
    (ROOT / page).read_text(encoding="utf-8") for page in ("docs/variant.md", "docs/contest.md")
)
MODELS = reference.find_models()
# what the engine knows as the words of a key; `spec` has the contest's in its types
KNOWN: dict[str, Any] = {
    "Card.after": AFTER, "Card.skip": SKIPS, "Card.names": NAMES, "Card.cover": COVERS, "Card.again": AGAIN,
    "Card.last": LASTS, "Together.ranks": ("any", "power_only"), "Call.until": UNTIL,
    "Call.penalty": PENALTIES, "Breach.kinds": VIOLATIONS, "Score.table": TABLES, "Addition.builds": EFFECTS,
    "Stage.format": FORMATS, "Stage.seeds": ("entry", "previous"), "Spec.score": UNITS,
    "Spec.release": ("public", "participants", "end"),
}  # fmt: skip


def read_examples(page: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", page, re.DOTALL)


@pytest.mark.parametrize("name", MODELS)
def test_every_key_has_a_sentence(name: str) -> None:
    """One that begins with a capital and ends with a full stop."""
    sentences = reference.read_sentences(MODELS[name])
    for field in fields(MODELS[name]):
        inherited = field.name in ("when", "says") and name not in ("Clause", "Addition", "Option")
        assert inherited or re.fullmatch(r"[A-Z].*\.", sentences.get(field.name, "")), field.name


def test_a_key_without_a_sentence_is_no_page() -> None:
    class Unsaid(Card, frozen=True, kw_only=True):
        bark: bool = False

    assert "bark" not in reference.read_sentences(Card)
    with pytest.raises(KeyError, match="bark"):
        reference.render_table(Unsaid, reference.read_sentences(Card))


@pytest.mark.parametrize("name", [*MODELS, "options"])
def test_every_model_has_its_table_on_one_page(name: str) -> None:
    assert (VARIANT + CONTEST).count(f"<!-- keys: {name} -->\n") == 1


@pytest.mark.parametrize("page", [VARIANT, CONTEST], ids=["variant", "contest"])
def test_the_pages_are_what_the_code_says(page: str) -> None:
    assert reference.render_page(page) == page, "run `make rules`"


def test_a_table_that_differs_is_stale() -> None:
    stale = VARIANT.replace("How many cards the next player must take.", "How many cards one must take.")
    assert stale != VARIANT
    assert reference.render_page(stale) == VARIANT


@pytest.mark.parametrize("key", reference.WORDS)
def test_the_words_of_a_key_are_those_that_are_known(key: str) -> None:
    assert set(reference.WORDS[key]) == set(KNOWN[key])


def test_every_option_of_the_engine_is_explained() -> None:
    """Those that every variant has, and those that the engine asks for by their name."""
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "maumau/game").glob("*.py"))
    asked = set(re.findall(r"rules\.(?:flag|number|word)\(\"(\w+)\"", source))
    assert {"places", "king_window", "mau_always"} <= asked
    declared = {name for each in variants() for name in load_variant(each).options}
    for name in asked & declared | every_option().keys():
        assert f"\n| `{name}` | " in VARIANT, name


def test_the_examples_of_variants_can_be_played() -> None:
    wasp, hornet = read_examples(VARIANT)
    for name, text in (("wasp", wasp), ("hornet", hornet)):
        compile_all(load_text(name, text))
    rules = load_text("wasp", wasp, queen_n=2)
    assert [card.owe for card in rules.at(2).card if card.on == ["QS"]] == [2]
    assert not [card for card in load_text("wasp", wasp, queen_stings=False).at(2).card if card.on == ["QS"]]
    stung = add_rule(load_text("hornet", hornet), "sting(9,2)").at(2).card[-1]
    assert (stung.on, stung.target) == (["9"], 2)


def test_a_clause_with_a_key_that_no_table_has_is_refused() -> None:
    with pytest.raises(BadVariant, match="there is no 'sting' here"):
        read_variant(read_examples(VARIANT)[0].replace("turn = true", "sting = true"), "wasp")


def test_the_example_of_a_spec_is_one_of_two_stages() -> None:
    (text,) = read_examples(CONTEST)
    spec = parse_spec(text)
    assert [stage.format for stage in spec.stages] == ["round_robin", "single_elimination"]
    assert spec.stages[1].seeds == "previous"
    assert parse_spec(spec.to_toml()) == spec


@pytest.mark.parametrize("model", [Spec, Stage], ids=["Spec", "Stage"])
def test_a_table_names_each_key_as_it_is_written(model: type[Spec | Stage]) -> None:
    keys = re.findall(r"^\| `(\w+)` \|", reference.render_keys(model), re.MULTILINE)
    assert keys == [field.encode_name for field in fields(model)]
