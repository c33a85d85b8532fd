"""Both brackets of a double elimination in the terminal."""

from maumau.screen.contest.report import TournamentReport, bracket
from tests.support.fake import a_tournament
from tests.web.test_double_tree import name_bots, play


def test_the_terminal_says_of_each_round_where_its_losers_go_on():
    """Of five the loser of the first round has a bye among the losers."""
    rounds = play(5, 1, better=1)
    now = a_tournament("cup", bots=name_bots(5))
    report = TournamentReport(now, (), final=False, bracket=rounds, matches=(), carryover=())
    lines = [line for line in bracket(report) if isinstance(line, str) and line]
    one, two, three, loser = (name_bots(5)[number - 1] for number in (1, 2, 3, 5))
    assert lines == [
        f"winners' round 1, its losers go on in losers' round 1 (bye: {one}, {two}, {three})",
        "winners' round 2, its losers go on in losers' round 2",
        f"losers' round 1 (bye: {loser})",
        "losers' round 2",
        "winners' final, its losers go on in losers' final",
        "losers' round 3",
        "losers' final",
        "grand final",
    ]
    tables = [line for line in bracket(report) if not isinstance(line, str)]
    assert len(tables) == sum(bool(one.matches) for one in rounds)
