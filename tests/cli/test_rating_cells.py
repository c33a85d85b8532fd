"""Ratings in the tables of ladders: shown once their intervals say something, as on all other boards."""

import pytest

from maumau.cli.contest.ladder.ladder import _print_changes
from maumau.cli.contest.ladder.live import live_ratings
from maumau.cli.shared import place
from maumau.client.answer import (
    GetLeaderboardResponse,
    GetLiveRatingsResponse,
    LeaderboardLine,
    LiveRating,
)

LIVE = (
    LiveRating(1, "fox", "ada", 60.0, -65.0, 185.0, 10, provisional=True),
    LiveRating(2, "hen", "bob", 40.0, -59.0, 139.0, 30, provisional=True),
    LiveRating(3, "owl", "eve", -20.0, -60.0, 20.0, 300, provisional=False),
    LiveRating(0, "ant", "kim", 0.0, 0.0, 0.0, 2, provisional=True),
)


class Seeks:
    """The ratings of live play."""

    def __init__(self, *ratings):
        self._found = GetLiveRatingsResponse(None, 2, 42, ratings)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def ratings(self, *_):
        return self._found


@pytest.fixture
def show(monkeypatch, capsys):
    """Return the words of each bot's line, by its name, and the last line."""

    def show_table(*ratings):
        monkeypatch.setattr(place, "connect_seeks", lambda _: Seeks(*ratings))
        live_ratings("prsi")
        lines = capsys.readouterr().out.splitlines()
        return {words[1]: words[2:] for line in lines if len(words := line.split()) > 2}, lines[-1]

    return show_table


def test_a_live_rating_is_shown_when_its_interval_says_something(show):
    wide = LiveRating(1, "elk", "ada", 20.0, -130.0, 170.0, 20, provisional=True)
    found, last = show(wide, *LIVE)
    assert found["elk"] == ["ada", "about", "25", "games", "short", "20"]
    assert found["fox"] == ["ada", "about", "6", "games", "short", "10"]
    assert found["hen"] == ["bob", "+40?", "-59", "to", "+139", "30"]
    assert found["owl"] == ["eve", "-20", "-60", "to", "+20", "300"]
    assert last.startswith("? provisional")


def test_one_without_a_game_that_counts_has_no_rating(show):
    found, last = show(LIVE[2], LIVE[3])
    assert "? provisional" not in last  # no rating in this table has the mark
    assert found["owl"][1] == "-20"


def test_a_ladder_s_rating_that_is_too_wide_is_as_on_other_boards(capsys):
    lines = (
        LeaderboardLine(1, "fox", "ada", "v", 30.0, -120.0, 180.0, 1, 2, 0.5, 20, 0, False, ""),
        LeaderboardLine(2, "hen", "bob", "v", 10.0, -80.0, 100.0, 1, 2, 0.5, 40, 0, False, ""),
    )
    _print_changes(iter([GetLeaderboardResponse(None, lines)]))
    assert capsys.readouterr().out.splitlines() == [
        "1. fox about 25 sets short, 20 deal sets",
        "2. hen +10 -80 to +100, 40 deal sets",
    ]
