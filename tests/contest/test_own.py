"""A tournament of a custom variant: its text is in the spec and in the export, and suffices."""

import json
import tomllib

import pytest

from maumau import game
from maumau.contest.export.chain import Chain
from maumau.contest.export.verify import verify
from maumau.contest.export.write import write_export
from maumau.contest.spec.spec import parse_spec
from maumau.errors import BadSpec, BadVariant
from tests.contest.conftest import SECRET, SMALL
from tests.support.terminal import Terminal

VARIANT = """\
# sevens sting thrice
title = "Wasp"
source = "at home"
extends = "prsi"
[options]
seven_n = { least = 1, most = 3, default = 3 }
"""


def spec_text(variant=VARIANT, name="wasp", more=""):
    return SMALL.replace('"mau_mau"', f'"{name}"\nvariant_toml = {json.dumps(variant)}\n{more}')


@pytest.fixture(scope="module")
def wasp(hold):
    return hold(spec_text(), 3)


def test_a_stranger_without_the_file_verifies_it(wasp):
    report = verify(wasp.path)
    assert report.differences == ()
    assert report.sets > 0


def test_the_text_stands_in_the_export_as_it_was_written(wasp):
    spec = json.loads(wasp.path.read_text().splitlines()[0])
    assert spec["spec"]["variant_toml"] == VARIANT
    assert spec["rules_hash"] == game.load_text("wasp", VARIANT).hash


def test_a_known_variant_is_exported_without_a_text(small):
    assert "variant_toml" not in json.loads(small.path.read_text().splitlines()[0])["spec"]


def test_an_export_whose_text_is_another_differs(wasp, tmp_path):
    """The records were played with three cards; with two the same actions are not allowed."""
    path = tmp_path / "other.export.jsonl"
    other = parse_spec(spec_text(VARIANT.replace("default = 3", "default = 2")))
    write_export(path, other, SECRET, wasp.entrants, wasp.results, wasp.arena.sets, [], Chain())
    report = verify(path)
    assert not report.ok
    assert "these are not the rules of the record" in str(report.differences[0])


def test_the_canonical_spec_is_toml_and_gives_the_same_spec():
    spec = parse_spec(spec_text())
    assert tomllib.loads(spec.to_toml())["variant_toml"] == VARIANT
    assert parse_spec(spec.to_toml()) == spec


def test_a_changed_text_is_another_hash_and_a_comment_is_not():
    hashes = [
        parse_spec(spec_text(text)).load_rules().hash
        for text in (
            VARIANT,
            VARIANT.replace("thrice", "3 times"),
            VARIANT.replace("default = 3", "default = 2"),
        )
    ]
    assert hashes[0] == hashes[1]
    assert hashes[0] != hashes[2]


def test_options_of_ones_own_are_chosen_in_the_spec():
    spec = parse_spec(spec_text(more="[options]\nseven_n = 1"))
    assert spec.options == {"seven_n": 1}
    assert spec.load_rules().number("seven_n") == 1


def test_a_variant_that_got_its_name_later_does_not_disturb_an_old_export():
    """The text decides, not the name: `prsi` here is somebody's own."""
    assert parse_spec(spec_text(name="prsi")).load_rules().number("seven_n") == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SMALL.replace('"mau_mau"', '"wasp.toml"'), "'wasp.toml' is a file, which only `maumau tournament"),
        (spec_text(name="Wasp!"), "'Wasp!' is not a variant's name"),
        (spec_text("x = 1"), "variant wasp: "),
        (spec_text("#" * 40_000), "variant wasp has more than 32 KiB"),
        (spec_text("a = " + "[" * 5000), "nested too deeply"),
        (
            spec_text(VARIANT + "max_decisions = { values = [100000], default = 100000 }"),
            "10,000 are the most",
        ),
        (spec_text(VARIANT.replace('"prsi"', '"wasp"')), "there is no variant 'wasp' to extend"),
        (spec_text(VARIANT.replace('"prsi"', '"crocodile"')), "one level is allowed"),
    ],
)
def test_what_cannot_be_played_is_refused_in_words(text, words):
    with pytest.raises((BadSpec, BadVariant)) as refused:
        parse_spec(text)
    assert words in str(refused.value)


@pytest.mark.long
def test_a_known_name_with_another_text_is_told_by_its_hash(hold, small, tmp_path):
    """The arena refuses to create such a contest, but a file can say so."""
    held = hold(spec_text(name="mau_mau"), 2)
    report = verify(held.path)
    assert report.ok
    assert report.own_rules == game.load_text("mau_mau", VARIANT).hash != game.load("mau_mau").hash
    words = f"played by a rule text of its own under a known variant's name, hash {report.own_rules}"
    assert words in Terminal(tmp_path).run("verify", str(held.path)).out
    assert verify(small.path).own_rules == ""
