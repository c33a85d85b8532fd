"""A custom variant at the table: the order has its text, and hello tells programs all of it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from maumau.bot.view import Rules
from maumau.errors import BadOrder, BadVariant, UnknownVariant
from maumau.game import load, load_text, replay, variants
from maumau.protocol import message
from maumau.referee.block import BlockOrder, play_block
from tests.bot.schema import Schema

ROOT = Path(__file__).parents[2]

WASP = """\
title = "Wasp: sevens sting, nines turn round"
source = "at home"
extends = "prsi"
[[card]]
on = ["9"]
reverse = true
turn = true
[options]
seven_n = { least = 1, most = 3, default = 3 }
"""
SEEDS = [hashlib.sha256(bytes([number])).hexdigest() for number in range(3)]


def order(**more: object) -> BlockOrder:
    return BlockOrder("wasp", 2, SEEDS, variant_toml=WASP, rules_hash=load_text("wasp", WASP).hash, **more)


def test_hello_with_a_variant_is_in_the_schema():
    own = load_text("wasp", WASP)
    root = json.loads((ROOT / "docs/reference/protocol.schema.json").read_text(encoding="utf-8"))
    assert (
        Schema(root, "hello").list_errors(json.loads(message.write_hello(own, own.chosen, 2, 0, 1.0))) == []
    )


def told(rules) -> Rules:
    """Return the SDK's rules from hello."""
    said = json.loads(message.write_hello(rules, rules.chosen, 2, 0, 1.0))
    return msgspec.convert(said["rules"], Rules)


def test_programs_that_do_not_know_a_variant_play_it_and_search_in_it(submit, process):
    outcome = play_block(order(), [submit("guesser"), submit("good")], process)
    deals = [deal for one in outcome.sets for deal in one.deals]
    assert [fault.words for deal in deals for fault in deal.faults] == []
    notes = {note.text for deal in deals for note in deal.notes}
    assert notes == {"seven takes 3"}
    assert all(replay(deal.record, own=load_text("wasp", WASP)).over for deal in deals)


def test_hello_tells_a_variant_of_ones_own_whole_and_a_known_one_by_name():
    own = load_text("wasp", WASP)
    assert told(own).variant["card"][-1] == {"on": ["9"], "reverse": True, "turn": True}
    assert all(told(load(name)).variant is None for name in variants())


def test_the_hash_follows_from_what_hello_says():
    """As docs/reference/variant.md says: of its fields without words and options, and all values."""
    own = load_text("wasp", WASP, deal=6)
    said = json.loads(message.write_hello(own, own.chosen, 2, 0, 1.0))["rules"]
    plain = {
        key: value
        for key, value in said["variant"].items()
        if key not in {"title", "source", "extends", "options"}
    }
    defaults = {name: option["default"] for name, option in said["variant"]["options"].items()}
    whole = {
        "maumau": 1, "name": said["name"], "options": defaults | said["options"],
        "variant": silent(plain) | {"title": "", "source": ""},
    }  # fmt: skip
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == said["hash"]


def silent(value):
    if isinstance(value, dict):
        return {key: silent(part) for key, part in value.items() if key != "says"}
    return [silent(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", variants())
def test_every_variant_survives_being_told(name):
    """Each known file under another name, as an author would begin a variant of their own."""
    text = (ROOT / "maumau/variants" / f"{name}.toml").read_text(encoding="utf-8")
    own = load_text("mine", text)
    assert told(own).load().hash == own.hash


def test_a_program_with_another_library_is_told_so():
    said = msgspec.structs.replace(told(load_text("wasp", WASP)), hash="0" * 64)
    with pytest.raises(BadVariant, match="which has another version of maumau"):
        said.load()


def test_a_worker_whose_library_reads_the_text_otherwise_refuses_in_words(submit, process):
    other = msgspec.structs.replace(order(), rules_hash="0" * 64)
    with pytest.raises(BadOrder, match="rules wasp ordered are not those of this library"):
        play_block(other, [submit("good"), None], process)


def test_a_worker_that_does_not_know_of_texts_refuses_in_words(submit, process):
    """An older one passes over the field that has the text."""
    with pytest.raises(UnknownVariant, match="there is no variant 'wasp'; known: app"):
        play_block(msgspec.structs.replace(order(), variant_toml=""), [submit("good"), None], process)
