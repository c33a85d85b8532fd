"""Texts of strangers that the standard library reads for minutes, or into numbers that cannot be shown."""

import time

import pytest

from maumau.contest.spec.spec import parse_spec
from maumau.errors import BadManifest, BadSpec, BadVariant
from maumau.game.ruleset.own import load_text
from maumau.game.ruleset.toml import MAX_KEY_PARTS, load_toml
from maumau.protocol.manifest import parse_manifest

SPEC = 'name = "cup"\nrules = "prsi"\n[[stage]]\nformat = "round_robin"\n[match]\n'
PARTS = "a key has more than 32 parts"


@pytest.mark.parametrize(
    "key", [".".join("a" * 30_000), ' . "a.b"' * 40 + " . b", " .'a'" * 40 + ".b", "[" + "a." * 33 + "a]"]
)
def test_a_key_of_very_many_parts_is_refused_at_once(key):
    began = time.process_time()
    with pytest.raises(ValueError, match=PARTS):
        load_toml(f"b{key} = 1" if not key.startswith("[") else key)
    assert time.process_time() - began < 0.5


def test_a_key_of_some_parts_and_dots_in_texts_are_read():
    key = ".".join("a" * MAX_KEY_PARTS)
    assert load_toml(f"{key} = 1")["a"]["a"]["a"]
    dots = "so on … and so on. " * 40 + "." * 200
    assert load_toml(f'title = "{dots}"  # {dots}') == {"title": dots}


def test_a_long_word_is_no_key_of_many_parts():
    began = time.process_time()
    assert load_toml(f'title = "{"a" * 60_000}"')
    assert load_toml(f"# {'a-' * 30_000}\n") == {}
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("number", ["0x" + "f" * 17, "-9223372036854775809", "[[0b1" + "0" * 63 + "]]"])
def test_numbers_beyond_64_bits_are_refused(number):
    with pytest.raises(ValueError, match="more than 64 bits"):
        load_toml(f"a = {{ b = [1, {number}] }}")
    assert load_toml("a = 9223372036854775807") == {"a": 2**63 - 1}


def test_specs_variants_and_manifests_are_read_so():
    """A number of 60,000 hexadecimal digits cannot be written in a message."""
    number = "0x" + "f" * 60_000
    with pytest.raises(BadSpec, match="more than 64 bits"):
        parse_spec(f"{SPEC}cap = {number}")
    with pytest.raises(BadVariant, match="more than 64 bits"):
        load_text("mine", f'title = "x"\nextends = "prsi"\n[options]\na = {number[:20_000]}')
    with pytest.raises(BadManifest, match="more than 64 bits"):
        parse_manifest(f'name = "a"\nrun = ["./a"]\nconcurrent = {number[:1000]}'.encode())
    with pytest.raises(BadSpec, match=PARTS):
        parse_spec(SPEC + ".".join("a" * 15_000) + " = 1")
