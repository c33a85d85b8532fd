"""A Swiss stage in the terminal: rounds with byes, the table with every opponent."""

from rich.console import Console

from maumau.client.answer import Round
from maumau.client.standing.swiss import SwissStage
from maumau.screen.contest import report
from maumau.screen.contest.swiss import describe_swiss
from tests.support.fake import a_match, a_standing, a_tournament

BOTS = ("ant", "bee", "cat")
TOML = 'name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "swiss"\n'


def decided(label, first, second, winner, rule="sequential"):
    names = (BOTS[first - 1], BOTS[second - 1])
    return a_match(label, first, second, names, state="decided", winner=winner, rule=rule, format="swiss")


ROUNDS = (
    Round(1, "round 1", (decided("1.1.1", 1, 2, 1),), (3,)),
    Round(2, "round 2", (decided("1.2.1", 1, 3, 0, "cap: not separated"),), (2,)),
    Round(3, "round 3", (decided("1.3.1", 2, 3, 3, "withdrawn"),), (1,)),
)


def show(width):
    matches = tuple(match for one in ROUNDS for match in one.matches)
    table = tuple(a_standing(place, number, BOTS[number - 1], 30.0 - place)
                  for place, number in enumerate((1, 3, 2), 1))  # fmt: skip
    found = report.TournamentReport(
        a_tournament(state="finished", bots=BOTS, spec_toml=TOML), table, True, (), matches, (),
        swiss=(SwissStage(1, None, ROUNDS, table),),
    )  # fmt: skip
    console = Console(width=width, record=True, file=None, force_terminal=False, quiet=False)
    with console.capture() as caught:
        for part in describe_swiss(found):
            console.print(part)
    return caught.get()


def test_the_rounds_have_their_byes_and_the_table_its_opponents():
    """ant: 1, ½, a bye; its Buchholz is bee's 1, cat's 2½ and its own 2½."""
    text = show(100)
    assert "stage 1, round 1 (bye: cat)" in text
    assert "Swiss table of stage 1, round 3 of 4: over, since all who are still in have met" in text
    lines = [line.split() for line in text.splitlines()]
    assert ["1", "ant", "2½", "3+", "2=", "bye", "6", "4¾"] in lines
    assert ["2", "cat", "2½", "bye", "1=", "3+w", "7½", "6¼"] in lines
    assert ["3", "bee", "1", "1-", "bye", "2-w", "4½", "1"] in lines


def test_a_narrow_terminal_has_points_and_rounds():
    lines = [line.split() for line in show(50).splitlines()]
    assert ["1", "ant", "2½", "3+", "2=", "bye"] in lines
