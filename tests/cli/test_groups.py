"""Groups in the terminal: each a crosstable with what every bot has won, lost and played level."""

import io

from rich.console import Console

from maumau.screen.contest.group import list_groups
from tests.support.fake import a_match, a_standing, a_tournament

BOTS = ("ant", "bee", "cat")


def decided(label, first, second, winner):
    names = (BOTS[first - 1], BOTS[second - 1])
    return a_match(label, first, second, names, state="decided", winner=winner, format="groups")


def test_a_level_match_is_counted_beside_those_won_and_lost():
    matches = [decided("1.1.1", 1, 2, 0), decided("1.2.1", 1, 3, 1), decided("1.3.1", 2, 3, 0)]
    lines = [a_standing(place, place, BOTS[place - 1], 30.0 - place) for place in (1, 2, 3)]
    console = Console(width=100, file=io.StringIO())
    for part in list_groups(a_tournament(bots=BOTS), {1: lines}, matches):
        console.print(part)
    rows = [line.split() for line in console.file.getvalue().splitlines()]
    assert ["#", "bot", "1", "2", "3", "won", "lost", "level"] in rows
    assert ["1", "ant", "=", "+", "1", "0", "1"] in rows
    assert ["2", "bee", "=", "=", "0", "0", "2"] in rows
    assert ["3", "cat", "-", "=", "0", "1", "1"] in rows
