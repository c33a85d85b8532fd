"""`maumau tournament rehearse`: a forecast without an arena, and bad input in words."""

import re

import msgspec
import pytest

from maumau.cli.contest.rehearsal_report import say_mean, say_open, say_rule, say_time
from maumau.contest.match_rule import MatchRule
from maumau.contest.rehearsal.forecast import Chance, Cost, Forecast
from maumau.contest.rehearsal.other import scale_match
from tests.support.terminal import Terminal

CUP = """
name = "cup"
rules = "prsi"
[[stage]]
format = "round_robin"
[[stage]]
format = "single_elimination"
seeds = "previous"
[match]
block = 10
cap = 50
delta = 0.1
[entries]
most = 8
"""
QUICK = ("--bots", "4", "--runs", "20")


@pytest.fixture
def terminal(tmp_path):
    (tmp_path / "cup.toml").write_text(CUP)
    return Terminal(tmp_path)


@pytest.mark.long
def test_a_spec_is_rehearsed_beside_the_formats(terminal):
    told = terminal.run("tournament", "rehearse", "cup.toml", *QUICK, "--workers", "3").out
    assert "cup: round_robin, then single_elimination, 4 bots, 20 times" in told
    assert re.search(r"The best bot wins \d+ of 100 \(\d+ to \d+\) and is in the top three in", told)
    assert re.search(
        r"It takes \d+ deal sets in 9 matches: .* of a core, .* with 3 workers; nine of .* with 3 workers\.",
        told,
    )
    assert re.search(r"^round_robin, then single_elimination +\d+ ±\d+ %", told, re.MULTILINE)
    assert re.search(r"^round_robin +\d+ ±\d+ %", told, re.MULTILINE)
    assert "The other formats at equal cost: block, cap and delta" in told
    assert "Field: 4 bots with normally distributed strengths, spread 30 Elo." in told
    assert "measured for prsi." in told
    assert (
        "3.2 ms, that of house bots which answer at once; two bots that use all of theirs take 200 ms" in told
    )


@pytest.mark.long
def test_the_forecast_as_json_is_that_of_its_seed(terminal):
    words = ("tournament", "rehearse", "cup.toml", *QUICK, "--json")
    found = terminal.run(*words).json()
    assert found == terminal.run(*words).json()
    assert (found["bots"], found["runs"], found["seed"], found["workers"]) == (4, 20, 1, 1)
    assert found["contest"]["formats"] == ["round_robin", "single_elimination"]
    assert found["contest"]["match"]["cap"] == 50
    assert {one["formats"][0] for one in found["others"]} >= {"round_robin", "single_elimination"}
    assert found != terminal.run(*words, "--seed", "2").json()


def test_flags_stand_for_a_spec_and_the_other_formats_can_be_left_out(terminal):
    told = terminal.run(
        "tournament", "rehearse", "--stage", "single_elimination", "--third-place", "--block", "5", "--cap",
        "20", *QUICK, "--no-others", "--ms-per-deal", "10", "--variance", "0.1", "--spread", "50", "--json",
    ).json()  # fmt: skip
    assert (told["contest"]["formats"], told["contest"]["keys"]) == (
        ["single_elimination"],
        "third_place = true",
    )
    assert (told["contest"]["match"]["block"], told["contest"]["match"]["cap"]) == (5, 20)
    assert told["contest"]["matches"] == 4
    assert (told["others"], told["ms_per_deal"], told["variance"]) == ([], 10, 0.1)


RACE = """
name = "dash"
rules = "prsi"
[[stage]]
format = "race"
budget = 100
"""


def test_a_match_without_a_test_is_not_counted_as_undecided_by_one(terminal):
    (terminal.home / "race.toml").write_text(RACE)
    kind = CUP.replace("delta = 0.1", 'kind = "first_to"\nwins = 3')
    (terminal.home / "wins.toml").write_text(kind)
    for spec in ("race.toml", "wins.toml"):
        told = terminal.run("tournament", "rehearse", spec, *QUICK, "--no-others").out
        assert "No test decides its matches: their number of deal sets, or of those won, ends them." in told
        assert "without the test" not in told
    assert "(the better one has 52 % of the points), it wins" in told
    assert re.search(r"such matches(, \d+ end level)?; they have \d+ deal sets in the mean\.", told)


@pytest.mark.long
def test_a_format_with_other_seats_says_why_it_is_left_out(terminal):
    told = terminal.run("tournament", "rehearse", "cup.toml", *QUICK).out
    assert "tables is left out: stage: 4 sit at its tables, not 2, so the two cannot be compared." in re.sub(
        r"\s+", " ", told
    )


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (2.5, "2.5 hours"), (0.5, "30.0 minutes"), (7 / 3600, "7 seconds"), (1 / 3600, "1 second"),
        (0.4 / 3600, "less than a second"),
    ],
)  # fmt: skip
def test_a_time_is_told_in_its_unit(hours, words):
    assert say_time(hours) == words


def test_a_mean_number_of_matches_is_never_less_than_its_part():
    assert (say_mean(19.23), say_mean(15.0), say_mean(1234.0)) == ("19.2", "15", "1,234")


@pytest.mark.long
def test_contests_by_points_are_warned_about_their_spread(terminal):
    (terminal.home / "points.toml").write_text(CUP.replace('"prsi"\n', '"prsi"\nscore = "points"\n', 1))
    words = ("tournament", "rehearse", "points.toml", *QUICK, "--no-others")
    assert "give --spread" in terminal.run(*words).err
    assert terminal.run(*words, "--spread", "8").err == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--bots", "1"), "a field of 1: a contest has 2 to 256 bots"),
        (("--bots", "9"), "entries.most: 8 bots may enter this contest, but the field has 9"),
        (("--spread", "0"), "a spread of 0 Elo: it must be above 0, since of equal bots none is the best"),
        (("--spread", "-30"), "a spread of -30 Elo: it must be above 0"),
        (("--field", "pool"), "--field pool is unknown; known: normal and ladder:NAME"),
        (("--field", "ladder:prsi", "--spread", "30"), "--spread belongs to normal strengths"),
        (
            ("--variance", "0.3"),
            'a variance of 0.3: with score = "win" that of a deal set is from 1e-05 to 0.24',
        ),
    ],
)
def test_bad_input_is_refused_in_words(terminal, words, said):
    error = terminal.run(
        "tournament", "rehearse", "cup.toml", "--bots", "4", *words, "--json", code=1
    ).error()
    assert said in error["message"]


def test_a_ladder_needs_an_arena(terminal):
    words = ("--field", "ladder:prsi", "--arena", str(terminal.home / "nowhere"), "--json")
    assert terminal.run("tournament", "rehearse", "cup.toml", *words, code=None).error()["message"]


def test_a_spec_that_cannot_be_played_is_refused_as_by_create(terminal):
    (terminal.home / "bad.toml").write_text(CUP.replace("round_robin", "swizz"))
    error = terminal.run("tournament", "rehearse", "bad.toml", "--json", code=1).error()
    assert "stage 1.format: 'swizz' is unknown" in error["message"]


def test_a_race_has_no_rule_of_the_contest_beside_it():
    """Its matches have a fixed length, and no test decides them."""
    found = Forecast(
        ("race",), "", MatchRule(), *[Chance(0.5, 0.4, 0.6)] * 2, 1.0, 0.5, *[Cost(1, 1, 1)] * 3, 40.0, 40.0
    )
    assert (say_open(found), say_rule(found)) == ("-", ("-", "-", "-"))
    cup = msgspec.structs.replace(found, formats=("race", "single_elimination"))
    assert (say_open(cup), say_rule(cup)) == ("40 of 40", ("100", "2,000", "0.025"))
    fixed = msgspec.structs.replace(cup, match=MatchRule(kind="fixed", block=50, cap=500, sets=500))
    assert (say_open(fixed), say_rule(fixed)) == ("-", ("50", "500", "-"))


@pytest.mark.parametrize(
    ("match", "longer"),
    [
        (
            MatchRule(block=10, cap=100, kind="fixed", sets=100),
            MatchRule(block=20, cap=200, kind="fixed", sets=200),
        ),
        (
            MatchRule(block=10, cap=100, kind="first_to", wins=8),
            MatchRule(block=20, cap=200, kind="first_to", wins=16),
        ),
        (MatchRule(block=10, cap=100, delta=0.1), MatchRule(block=20, cap=200, delta=0.0707)),
    ],
)
def test_matches_of_twice_the_length_keep_their_kind(match, longer):
    assert scale_match(match, 2) == longer
