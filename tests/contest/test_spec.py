"""A spec says what is played; what it does not know is an error in words."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maumau.contest.format import FORMATS
from maumau.contest.format.round_robin import RoundRobinStage
from maumau.contest.format.single_elimination import SingleElimination
from maumau.contest.match_rule import MatchRule
from maumau.contest.spec.part import BotLimits, Entries
from maumau.contest.spec.spec import Spec, parse_spec
from maumau.errors import BadSpec, MaumauError

LEAST = 'name = "cup"\nrules = "prsi"\n[[stage]]\nformat = "round_robin"\n'


def test_what_is_left_out_has_the_defaults_of_the_design():
    spec = parse_spec(LEAST)
    assert (spec.seats, spec.score, spec.secret, spec.options) == (2, "win", None, {})
    assert spec.match == MatchRule(block=100, delta=0.025, alpha=0.05, cap=2000)
    assert spec.bot == BotLimits(deal_ms=100, memory=512)
    assert spec.entries == Entries(closes=None, most=64)
    assert spec.stages == (RoundRobinStage("round_robin", "entry", third_place=False),)


def test_every_key_is_read():
    spec = parse_spec("""
        name = "cup-2"
        rules = "prsi"
        seats = 2
        score = "points"
        secret = "0123456789abcdef"
        [options]
        deal = 5
        ace_stack = "none"
        [entries]
        closes = 2026-12-01T12:00:00Z
        most = 8
        [[stage]]
        format = "round_robin"
        [[stage]]
        format = "single_elimination"
        seeds = "previous"
        third_place = true
        [match]
        block = 50
        delta = 0.03
        alpha = 0.01
        cap = 500
        [bot]
        deal_ms = 20
        memory = 256
    """)
    assert spec == Spec(
        name="cup-2",
        rules="prsi",
        stages=(
            RoundRobinStage("round_robin"),
            SingleElimination("single_elimination", "previous", third_place=True),
        ),
        options={"ace_stack": "none", "deal": 5},
        score="points",
        secret="0123456789abcdef",
        entries=Entries(datetime(2026, 12, 1, 12, tzinfo=UTC), 8),
        match=MatchRule(50, 0.03, 0.01, 500),
        bot=BotLimits(20, 256),
    )


def test_options_that_say_the_default_are_left_out_of_the_spec():
    assert parse_spec(LEAST + '[options]\nace_stack = "pass_on"\ndeal = 5\n').options == {"deal": 5}


def test_the_public_spec_has_no_secret():
    spec = parse_spec('secret = "0123456789abcdef"\n' + LEAST)
    assert spec.hide_secret().secret is None
    assert "0123456789abcdef" not in spec.hide_secret().to_toml()


stages = st.lists(
    st.one_of(
        st.builds(RoundRobinStage, st.just("round_robin"), legs=st.integers(1, 10)),
        st.builds(SingleElimination, st.just("single_elimination"), st.just("entry"), st.booleans()),
    ),
    min_size=1,
    max_size=3,
)
matches = st.builds(
    lambda block, blocks, delta, alpha: MatchRule(block, delta, alpha, block * blocks),
    st.integers(1, 1000),
    st.integers(1, 100),
    st.floats(0.001, 0.4),
    st.floats(0.0001, 0.4),
)


@pytest.mark.long
@given(
    st.from_regex(r"[a-z0-9][a-z0-9_-]{0,20}[a-z0-9]", fullmatch=True),
    stages,
    st.sampled_from(["win", "places", "points"]),
    st.none() | st.from_regex(r"[!-~]{16,256}", fullmatch=True),
    st.none() | st.datetimes(datetime(2000, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    matches,
)
def test_the_canonical_text_gives_the_same_spec(name, kinds, score, secret, closes, match):
    spec = Spec(
        name=name,
        rules="prsi",
        stages=tuple(kinds),
        options={"ace_stack": "none"},
        score=score,
        secret=secret,
        entries=Entries(closes),
        match=match,
    )
    assert parse_spec(spec.to_toml()) == spec
    assert parse_spec(spec.to_toml()).to_toml() == spec.to_toml()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            ('"cup"', '"cup"\nnmae = 1'),
            "The spec has no key 'nmae'; known: bot, entries, game, group, match, mystery, name, options,",
        ),
        (
            ("", "[match]\nblocks = 3\n"),
            "[match] has no key 'blocks'; known: alpha, block, cap, decide, delta, kind, sets, wins.",
        ),
        (
            ('"round_robin"', '"round_robin"\nthird = true'),
            "[stage 1] has no key 'third'; known: apart, format, game, given, legs, seeds,",
        ),
        (('name = "cup"\n', ""), "name is missing."),
        (('format = "round_robin"', ""), "stage 1.format is missing."),
        (
            ('"cup"', '"My Cup"'),
            "name: must be 1 to 64 of a-z, 0-9, - and _, with a letter or digit at both ends.",
        ),
        (('"cup"', "7"), "name: must be 1 to 64 of a-z"),
        (
            ('"round_robin"', '"knockout"'),
            f"stage 1.format: 'knockout' is unknown; known: {', '.join(sorted(FORMATS))}.",
        ),
        (
            ('"round_robin"', '"round_robin"\nseeds = "luck"'),
            "stage 1.seeds: 'luck' is unknown; known: draw, entry, given, previous.",
        ),
        (
            ('"round_robin"', '"round_robin"\nseeds = "previous"'),
            'stage 1: seeds is "previous", but there is no stage before it; use "entry".',
        ),
        (
            ('"round_robin"', '"round_robin"\nthird_place = true'),
            "stage 1: third_place belongs to single_elimination, not round_robin.",
        ),
        (('[[stage]]\nformat = "round_robin"\n', ""), "stage is missing."),
        (
            ('[[stage]]\nformat = "round_robin"\n', "stage = []\n"),
            "stage: a tournament has at least one [[stage]].",
        ),
        (("[[stage]]", "[stage]"), "stage: several tables, each under its own [[stage]], not"),
        (('"cup"', '"cup"\nmatch = 3'), "match is a table, not 3."),
        (
            ('"cup"', '"cup"\nseats = 3'),
            "seats: 3 cannot be played; two bots meet in a match, so seats is 2.",
        ),
        (('"cup"', '"cup"\nscore = "wins"'), "score: 'wins' is unknown; known: places, points, win."),
        (
            ('"cup"', '"cup"\nsecret = "short"'),
            "secret: must be 16 to 256 visible ASCII characters without spaces.",
        ),
        (("", "[match]\nblock = 0\n"), "match.block: expected a whole number of at least 1, not 0."),
        (("", "[match]\nblock = true\n"), "match.block: expected a whole number, not true."),
        (("", "[match]\ndelta = nan\n"), "match.delta: expected a number of at least 1e-06, not nan."),
        (("", "[match]\ndelta = 1e-200\n"), "match.delta: expected a number of at least 1e-06, not 1e-200."),
        (('"round_robin"', '["swiss"]'), "stage 1.format: expected text, not ['swiss']."),
        (("", "[match]\nalpha = 0.5\n"), "match.alpha: expected a number below 0.5, not 0.5."),
        (
            ("", "[match]\ncap = 250\n"),
            "match.cap: 250 sets are not a whole number of blocks of 100; the nearest caps are 200 and 300.",
        ),
        (("", "[match]\ncap = 50\n"), "the nearest caps are 100 and 200."),
        (("", "[entries]\nmost = 1\n"), "entries.most: expected a whole number of at least 2, not 1."),
        (
            ("", "[entries]\ncloses = 2026-12-01T12:00:00\n"),
            "entries.closes: must be a date, a time and its offset from UTC, such as 2026-12-01T19",
        ),
        (("", "[entries]\ncloses = 2026-12-01\n"), "entries.closes: must be a date, a time and its offset"),
        (
            ("", "[entries]\ncloses = 9999-12-31T23:59:00-23:59\n"),
            "entries.closes: 9999-12-31T23:59:00-23:59 is out of range.",
        ),
        (
            ("", "[entries]\ncloses = 0001-01-01T00:00:00+23:59\n"),
            "entries.closes: 0001-01-01T00:00:00+23:59 is out of range.",
        ),
        (("", "[bot]\nmemory = 8\n"), "bot.memory: expected a whole number of at least 16, not 8."),
        (('"prsi"', '"prsy"'), "there is no variant 'prsy'; near it: prsi; known:"),
        (("", "[options]\nace_stak = 1\n"), "ace_stak"),
        (("", "[options]\nname = 1\n"), "name"),
        (("", "[options]\nace_stack = 1.5\n"), "options: expected"),
        (("", "x = \n"), "The spec is not TOML: Invalid value (at line 5, column 5)."),
    ],
)
def test_an_error_says_what_is_wrong_and_what_is_known(change, words):
    old, new = change
    with pytest.raises(MaumauError) as raised:
        parse_spec(LEAST.replace(old, new, 1) if old else LEAST + new)
    assert words in str(raised.value)


def test_a_secret_is_never_repeated_in_an_error():
    with pytest.raises(BadSpec) as raised:
        parse_spec('secret = "hush hush"\n' + LEAST)
    assert "hush" not in str(raised.value)
