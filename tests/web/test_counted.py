"""Matches that no test decides, and whole games: one sentence about certainty, and games by their name."""

from __future__ import annotations

import pytest

from maumau.client.answer import GetMatchResponse, Standing
from services.web.delivery.render import Renderer, tell_finding
from services.web.figures.walk import read_test
from services.web.private.spec_form import DEFAULTS, draw_spec
from services.web.public.contest import Contest, MatchView
from services.web.words import Tongue
from tests.support.fake import a_match, a_tournament

TOML = 'name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n'
GAMES = TOML + 'game = { rounds = 3 }\n[[stage]]\nformat = "single_elimination"\n'
SURE = {"state": "decided", "rule": "first to", "wins": (20, 12), "reached": 60, "sure": 0.81}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"winner": 1, "estimate": 0.55}, "greedy is the better bot with a chance of 81"),
        (
            {"winner": 2, "estimate": 0.55},
            "rollout has won it by the sets that count, but by its score",
        ),
        (
            {"winner": 2, "estimate": 0.45, "low": 0.41, "high": 0.49},
            "rollout is the better bot with a chance",
        ),
        ({"winner": 1, "estimate": 0.5}, "Judging by the score, neither bot is ahead."),
    ],
)
def test_a_match_without_a_test_says_once_how_sure_it_is(changes, words) -> None:
    said = tell_finding(Tongue("en"), a_match(**{**SURE, **changes}))
    assert words in said
    assert "interval" not in said
    assert "Kein Test entscheidet" in tell_finding(Tongue("de"), a_match(**{**SURE, **changes}))


def test_an_open_match_without_a_test_is_told_by_its_interval() -> None:
    said = tell_finding(Tongue("en"), a_match(sure=0.81))
    assert "No test" not in said


def render(spec: str, stage: int, language: str) -> str:
    found = GetMatchResponse(match=a_match(f"{stage}.1.1"), blocks=(), faults=(), banks=())
    view = MatchView("cup", found, is_over=False, test=read_test(spec, stage))
    return str(Renderer("").render_part("result", language, view=view))


def test_the_page_of_a_match_says_that_whole_games_are_played() -> None:
    """Only in the stage that plays them."""
    assert "each set consists of one game per seating" in render(GAMES, 1, "en")
    assert "Jeder Satz besteht aus je einer Partie pro Sitzordnung" in render(GAMES, 1, "de")
    assert "one game per seating" not in render(GAMES, 2, "en")
    assert "one game per seating" not in render(TOML, 1, "en")


@pytest.mark.parametrize(
    ("spec", "key"), [(TOML, ""), (GAMES, "set_may_be_game"), (TOML + "[game]\nrounds = 3\n", "set_is_game")]
)
def test_the_page_of_a_contest_says_where_whole_games_are_played(spec, key) -> None:
    line = Standing(1, 1, "ant", 1.0, 0.5, 1.5, 40, 2, 1, 0, 0, "")
    view = Contest(a_tournament(bots=("ant", "bee"), spec_toml=spec), (line,), False, (), ())
    assert view.games_key == key
    part = str(Renderer("").render_part("standings", "de", view=view))
    assert ("ganze Partien" in part) == bool(key)


def test_the_form_knows_that_whole_games_are_played() -> None:
    fields = {**DEFAULTS, "name": "cup", "rules": "mau_mau"}
    assert not draw_spec(fields).plays_games
    assert draw_spec({**fields, "more": "[game]\nrounds = 3"}).plays_games
