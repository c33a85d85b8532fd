"""Errors of a spec say in which line the key stands that they are about."""

import pytest

from maumau.contest.spec.line import find_line, name_line
from maumau.contest.spec.spec import build_spec, parse_spec, read_table
from maumau.errors import BadSpec

SPEC = """name = "cup"   # line 1
rules = "mau_mau"

[[stage]]
format = "round_robin"

[[ stage ]]  # line 7
format = "single_elimination"
seeds = "previous"
take = 4

[match]
block = 20
"cap" = 60

[entries]
accounts = [
  "ada",
  "bob",  # = no key
]
"""
TEXT = '''variant_toml = """
name = "inner"
[match]
"""
release = "end"
options . hand = 5
match = {block = 5}
'''


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("name", 1),
        ("stage[1].format", 5),
        ("stage[2]", 7),
        ("stage[2].seeds", 9),
        ("stage[2].rounds", 7),  # which is not there: its table
        ("stage[3].format", None),
        ("match.block", 13),
        ("match.cap", 14),
        ("match.delta", 12),
        ("entries.accounts", 17),
        ("schedule.starts", None),
        ("spec_toml", None),
        ("", None),
    ],
)
def test_the_line_of_a_key(field, line):
    assert find_line(SPEC, field) == line


def test_lines_of_a_long_text_are_no_keys():
    assert read_table(TEXT)["options"] == {"hand": 5}
    assert find_line(TEXT, "name") is None
    assert find_line(TEXT, "variant_toml") == 1
    assert find_line(TEXT, "release") == 5
    assert find_line(TEXT, "options.hand") == 6
    assert find_line(TEXT, "match.block") == 7  # of an inline table


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("block = 20", "blok = 20", r"line 13: \[match\] has no key 'blok'; known: "),
        ("block = 20", "block = 'viel'", "line 13: match.block: expected a whole number, not 'viel'"),
        ("single_elimination", "knock_out", "line 8: stage 2.format: 'knock_out' is unknown"),
        ('name = "cup"', 'nam = "cup"', "line 1: The spec has no key 'nam'"),
        ("seeds = ", "seed = ", "line 9: .*has no key 'seed'"),
        ("[entries]", "[entries", r"^The spec is not TOML: .*line 16"),
    ],
)
def test_an_error_says_its_line(old, new, words):
    text = SPEC.replace(old, new, 1)
    with pytest.raises(BadSpec, match=words) as refused:
        parse_spec(text)
    if not words.startswith("^"):
        with pytest.raises(BadSpec) as plain:
            build_spec(read_table(text))
        assert str(refused.value).split(": ", 1)[1] == str(plain.value)
        assert refused.value.violations[0].field == plain.value.violations[0].field


def test_a_line_is_named_once_and_only_if_it_is_known():
    for message, field, words in (
        ("match.block: wrong.", "match.block", "line 13: match.block: wrong."),
        ("line 13: match.block: wrong.", "match.block", "line 13: match.block: wrong."),
        ("name is missing.", "schedule.starts", "name is missing."),
        ("It cannot be played.", "", "It cannot be played."),
    ):
        with pytest.raises(BadSpec) as refused, name_line(SPEC):
            raise BadSpec(message, field=field)
        assert str(refused.value) == words


def test_the_spec_of_the_examples_can_be_read():
    assert [stage.format for stage in parse_spec(SPEC).stages] == ["round_robin", "single_elimination"]
