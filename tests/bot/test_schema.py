"""The protocol's schema and the examples of docs/reference/protocol.md are what the table really sends."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from maumau.errors import BadOrder
from maumau.game import deal, load, variants
from maumau.protocol import message
from maumau.submission.judge import judge_reply
from maumau.submission.sample import RECIPES, find_sample, iterate_decisions
from tests.bot.schema import Schema
from tests.bot.write_examples import example, examples
from tests.support.kinds import one_of

DOCS = Path(__file__).parents[2] / "docs/reference"
PAGE = (DOCS / "protocol.md").read_text(encoding="utf-8")
ROOT = json.loads((DOCS / "protocol.schema.json").read_text(encoding="utf-8"))
WHOLE = Schema(ROOT)
KINDS = set(ROOT["$defs"]["ask"]["properties"]["ask"]["enum"])
NOT_ASKED = {"rule"}  # asked between the deals of a game

STEADY = {"turn", "answer", "cover", "again", "keep", "wish"}  # in variants whose rules are proven

EXAMPLES = examples(PAGE)


@pytest.mark.long
@pytest.mark.parametrize("variant", one_of(4, variants()))
def test_everything_the_table_sends_is_in_the_schema(variant: str) -> None:
    asks, ends, hello = (Schema(ROOT, name) for name in ("ask", "end", "hello"))
    for options in ({}, {"detection": "accuse"}):
        if options and "detection" not in load(variant).options:
            continue
        rules = load(variant, **options)
        for seats in (2, 3):
            said = message.write_hello(rules, rules.chosen, seats, 0, 1.0, 64)
            assert hello.list_errors(json.loads(said)) == []
            d = deal(rules, seats, "schema")
            for now, seat in iterate_decisions(d, Random("schema")):
                line = message.write_question(now.view(seat, max(0, len(now.log) - 9)), 1, "ab" * 32, 1500)
                assert asks.list_errors(json.loads(line)) == [], line
            if d.over:
                told = message.write_end(1, d.places, d.points, d.seen(0, 3), "crash")
                assert ends.list_errors(json.loads(told)) == []


@pytest.mark.parametrize("kind", sorted(KINDS - NOT_ASKED))
def test_every_kind_has_an_example_that_is_the_tables_own_line(kind: str) -> None:
    found = find_sample(kind)
    for line in (found.ask().decode(), found.later().decode(), EXAMPLES[kind]):
        assert json.loads(line)["ask"] == kind
        assert Schema(ROOT, "ask").list_errors(json.loads(line)) == []
    assert set(json.loads(EXAMPLES[kind])) == set(json.loads(example(kind)))
    if kind in STEADY:
        assert EXAMPLES[kind] == example(kind), "python -m tests.bot.write_examples writes the page anew"


def test_the_kinds_without_an_example_are_asked_by_no_variant() -> None:
    assert {*RECIPES} | NOT_ASKED == KINDS
    for kind in NOT_ASKED:
        with pytest.raises(BadOrder, match="known: turn, answer"):
            find_sample(kind)


def test_the_other_messages_of_the_page_are_the_tables_too() -> None:
    for name in ("hello", "end", "bye"):
        assert EXAMPLES[name] == example(name), "python -m tests.bot.write_examples writes the page anew"
    for name in ("hello", "end", "bye", "ready", "reply"):
        said = json.loads(EXAMPLES[name])
        assert Schema(ROOT, name).list_errors(said) == []
        assert WHOLE.list_errors(said) == []
    message.read_ready(EXAMPLES["ready"].encode())
    assert judge_reply(find_sample("window"), EXAMPLES["reply"].encode()) == ""


def test_the_page_names_every_field_of_the_schema() -> None:
    for name in ("hello", "ask", "end"):
        for field in ROOT["$defs"][name]["properties"]:
            assert f"`{field}`" in PAGE, field


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("ask", {"legal": []}, "only 0 entries"),
        ("ask", {"top": "1H"}, "it is 0 of 2"),
        ("ask", {"ask": "think"}, "is none of"),
        ("ask", {"bank_ms": -1}, "out of bounds"),
        ("ask", {"colour": "blue"}, "nothing is allowed"),
        ("ask", {"ask": "keep"}, "shown is missing"),
        ("ask", {"counts": [True, 2]}, "is no integer"),
        ("ask", {"legal": ["draw; rm"]}, "is not ^("),
        ("end", {"end": {}}, "places is missing"),
    ],
)
def test_what_is_no_message_is_refused(name: str, change: dict[str, object], words: str) -> None:
    line = find_sample("turn").ask() if name == "ask" else find_sample("turn").end()
    found = Schema(ROOT, name).list_errors(json.loads(line) | change)
    assert any(words in each for each in found), found
