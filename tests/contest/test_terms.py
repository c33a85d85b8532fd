"""The terms of a contest that is no tournament, and the root that binds them."""

import hashlib

import pytest

from maumau import game
from maumau.contest.terms import build_terms
from maumau.errors import BadSpec, UnknownVariant

TABLE = {"purpose": "ladder", "author": "ada", "rules": "mau_mau"}


def test_the_root_is_made_of_the_canonical_json_of_the_terms():
    """Written by hand from docs/reference/verify.md."""
    rules_hash = game.load("mau_mau").hash
    text = (
        '{"author":"ada","bot":{"deal_ms":100,"memory":512},"options":{},"purpose":"ladder","rules":"mau_mau",'
        f'"rules_hash":"{rules_hash}","score":"win","seats":2,"variant_toml":"","version":4}}'
    )
    assert build_terms(TABLE).hash_root() == hashlib.sha256(text.encode()).hexdigest()


def test_an_option_with_its_default_value_changes_nothing():
    name, value = next(iter(game.load("mau_mau").options.items()))
    assert build_terms(TABLE | {"options": {name: value}}) == build_terms(TABLE)


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"seats": 11}, BadSpec, "seats: 11 is not 2 to 10"),
        ({"seats": 7, "rules": "prsi"}, BadSpec, "is played by"),
        ({"purpose": "fun"}, BadSpec, "'fun' is unknown; known: audit, ladder, practice"),
        ({"rules": "bridge"}, UnknownVariant, "bridge"),
        ({"more": 1}, BadSpec, "no key 'more'"),
    ],
)
def test_what_cannot_be_is_refused_in_words(change, kind, words):
    with pytest.raises(kind, match=words):
        build_terms(TABLE | change)
