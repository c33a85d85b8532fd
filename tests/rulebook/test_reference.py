"""The pages on variants and specs explain every key, and what they show can be played."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from maumau.contest.format import FORMATS
from maumau.contest.score import UNITS
from maumau.contest.spec.bound import bound_spec
from maumau.contest.spec.part import Mystery
from maumau.contest.spec.spec import Spec, Stage, parse_spec
from maumau.errors import BadVariant
from maumau.game import load_text, variants
from maumau.game.model.rule import PENALTIES, UNTIL
from maumau.game.model.scoring import TABLES
from maumau.game.notation.action import VIOLATIONS
from maumau.game.ruleset.clause import Card
from maumau.game.ruleset.growth import add_rule
from maumau.game.ruleset.power import AFTER, AGAIN, COVERS, EFFECTS, LASTS, NAMES, SKIPS
from maumau.game.ruleset.variant import every_option, load_variant, read_variant
from maumau.rulebook import reference
from maumau.rulebook.check import compile_all

ROOT = Path(__file__).parents[2]
VARIANT, CONTEST = (
    (ROOT / "docs/reference" / page).read_text(encoding="utf-8") for page in ("variant.md", "contest.md")
)
MODELS = reference.find_models()
STAGE_KEYS = {field.name for field in fields(Stage)}
# the engine's words for a key; `spec` has the contest's in its types
KNOWN: dict[str, Any] = {
    "Card.after": AFTER, "Card.skip": SKIPS, "Card.names": NAMES, "Card.cover": COVERS, "Card.again": AGAIN,
    "Card.last": LASTS, "Together.ranks": ("any", "power_only"), "Call.until": UNTIL,
    "Call.penalty": PENALTIES, "Breach.kinds": VIOLATIONS, "Score.table": TABLES, "Addition.builds": EFFECTS,
    "Swiss.order": ("rating", "points"), "Stage.format": FORMATS,
    "Stage.seeds": ("entry", "previous", "draw", "given"), "Spec.score": UNITS,
    "Spec.release": ("public", "participants", "end"),
}  # fmt: skip


def read_examples(page: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", page, re.DOTALL)


@pytest.mark.sample(20)
@pytest.mark.parametrize("name", MODELS)
def test_every_key_has_a_sentence(name: str) -> None:
    """One that begins with a capital and ends with a full stop."""
    sentences = reference.read_sentences(MODELS[name])
    for field in reference._own_fields(MODELS[name]):
        inherited = field.name in ("when", "says") and name not in ("Clause", "Addition", "Option")
        inherited |= issubclass(MODELS[name], Stage) and name != "Stage" and hasattr(Stage, field.name)
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
    stale = VARIANT.replace("The number of cards that the next player must take.", "The cards to take.")
    assert stale != VARIANT
    assert reference.render_page(stale) == VARIANT


@pytest.mark.parametrize("key", reference.WORDS)
def test_the_words_of_a_key_are_those_that_are_known(key: str) -> None:
    assert set(reference.WORDS[key]) == set(KNOWN[key])


def test_every_option_of_the_engine_is_explained() -> None:
    """These are the options of every variant, and those that the engine reads by name."""
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "maumau/game").rglob("*.py"))
    asked = set(re.findall(r"rules\.(?:flag|number|word)\(\"(\w+)\"", source))
    assert {"places", "king_window", "mau_always"} <= asked
    declared = {name for each in variants() for name in load_variant(each).options}
    for name in asked & declared | every_option().keys():
        assert f"\n| `{name}` | " in VARIANT, name


@pytest.mark.long
def test_the_examples_of_variants_can_be_played() -> None:
    wasp, kitchen, hornet = read_examples(VARIANT)
    for name, text in (("wasp", wasp), ("kitchen", kitchen), ("hornet", hornet)):
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
    text, *parts, _ = read_examples(CONTEST)
    spec = parse_spec(text)
    assert [stage.format for stage in spec.stages] == ["round_robin", "single_elimination"]
    assert spec.stages[1].seeds == "previous"
    assert parse_spec(spec.to_toml()) == spec
    for part in parts:
        assert len(parse_spec(f'name = "cup"\nrules = "prsi"\n{part}').stages) == 2


def test_the_example_of_whole_games_is_played_to_a_hundred_points_at_tables_of_four() -> None:
    spec = bound_spec(parse_spec(read_examples(CONTEST)[-1]))
    assert (spec.most_seats, spec.match.block) == (4, 10)
    assert spec.game
    assert spec.game.target == 100
    assert 7 < (spec.game.deals or 0) <= 30  # of 30 games of honest players the longest had 7 deals
    assert spec.list_stage_rules()[0].options["scoring"] is True


def test_the_example_of_mystery_rules_has_fewer_than_fifteen_lines() -> None:
    page = (ROOT / "docs/how-to/run-a-contest.md").read_text(encoding="utf-8")
    [text] = [one for one in read_examples(page) if "[mystery]" in one]
    assert len(text.splitlines()) < 15
    assert bound_spec(parse_spec(text)).mystery == Mystery()


@pytest.mark.parametrize("model", [Spec, Stage], ids=["Spec", "Stage"])
def test_a_table_names_each_key_as_it_is_written(model: type[Spec | Stage]) -> None:
    keys = re.findall(r"^\| `(\w+)` \|", reference.render_keys(model), re.MULTILINE)
    assert keys == [field.encode_name for field in fields(model)]
