"""Races and counted matches on the pages and in the terminal."""

from __future__ import annotations

import msgspec
import pytest
from rich.console import Console

from maumau.client.answer import RaceBatch
from maumau.client.standing.race import list_races
from maumau.screen.contest import report
from maumau.screen.contest.race import describe_races, draw_bars
from services.web.delivery.render import Renderer
from services.web.figures.race import draw_chances
from services.web.private.spec_form import DEFAULTS, draw_spec
from services.web.public.contest import Contest
from services.web.words import TONGUES
from tests.support.fake import a_tournament

BOTS = ("ant", "bee", "cat")
TOML = 'name = "cup"\nrules = "prsi"\n[[stage]]\nformat = "race"\nbudget = 900\nsure = 0.9\n'
BATCHES = (
    RaceBatch(1, 1, 40, 2, 0.5, (1, 2, 3), (0.3, 0.5, 0.2)),
    RaceBatch(1, 2, 120, 2, 0.81, (1, 2, 3), (0.19, 0.81, 0.0)),
)
SURE = (*BATCHES, RaceBatch(1, 3, 200, 2, 0.96, (1, 2, 3), (0.04, 0.96, 0.0)))


def render(batches: tuple[RaceBatch, ...], language: str, state: str = "running") -> str:
    now = a_tournament(state=state, bots=BOTS, spec_toml=TOML)
    view = Contest(now, (), False, (), (), races=list_races(TOML, batches))
    words = " ".join(str(Renderer("").render_part("standings", language, view=view)).split())
    return words.replace("\u202f", " ").replace("\xa0", " ")


@pytest.mark.parametrize(
    ("batches", "state", "english", "german"),
    [
        (BATCHES, "running", "bee is ahead: it is the best with a chance of 81", "bee liegt vorn"),
        (SURE, "running", "bee has won: it is the best with a chance of 96", "bee hat gewonnen"),
        (
            BATCHES,
            "finished",
            "bee has won as the likeliest to be the best",
            "nach 120 Sätzen am ehesten der beste",
        ),
    ],
)
def test_the_page_says_where_a_race_stands(batches, state, english, german) -> None:
    page = render(batches, "en", state)
    assert english in page
    assert german in render(batches, "de", state)
    assert page.count('class="chance"') == 2  # cat has no chance left, and no line
    assert "Others with hardly a chance: 1." in page


@pytest.mark.parametrize(
    ("batches", "words"),
    [(SURE, "Er ist nach 200 Sätzen mit 96,0 %"), (BATCHES, "Er ist nach 120 Sätzen am ehesten")],
)  # fmt: skip
def test_the_german_page_counts_sets_in_the_dative(batches, words) -> None:
    assert words in render(batches, "de", "finished")


def test_a_text_that_says_after_takes_its_number_from_after_sets() -> None:
    for key in ("race_ahead", "race_sure", "race_out", "wins_reached", "places_say"):
        assert "ach {sets}" not in TONGUES["de"].texts[key], key


def test_a_line_goes_from_the_first_batch_to_the_last() -> None:
    assert draw_chances((0.5, 0.81)) == "M0.0 50.0L1000.0 19.0"
    assert draw_chances((0.25,)) == "M0.0 75.0L1000.0 75.0"


def test_the_terminal_draws_the_chances_as_they_narrow() -> None:
    now = a_tournament(state="running", bots=BOTS, spec_toml=TOML)
    found = report.TournamentReport(now, (), False, (), (), (), race=BATCHES)
    console = Console(width=100, record=True)
    with console.capture() as caught:
        for part in describe_races(found):
            console.print(part)
    text = caught.get()
    assert "after batch 2 with 120 sets: bee is ahead with a chance of 81.0%" in text
    assert "it ends at 90.0%, or after 900 sets" in text.replace("\n", " ")
    assert draw_bars((0.5, 0.81)) == "▅▇"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "fixed", "count": "500"}, 'kind = "fixed"\nsets = 500'),
        ({"kind": "first_to", "count": "20"}, 'kind = "first_to"\nwins = 20'),
    ],
)
def test_the_form_makes_counted_matches_and_says_what_they_are_worth(fields, words) -> None:
    drawn = draw_spec({**DEFAULTS, "name": "cup", **fields})
    assert not drawn.wrong
    assert words in drawn.toml
    assert drawn.worth
    assert 50 < drawn.worth.won <= 100


def test_the_form_says_which_field_is_wrong() -> None:
    cup = {**DEFAULTS, "name": "cup"}
    assert list(draw_spec({**cup, "kind": "fixed"}).wrong) == ["count"]
    assert list(draw_spec({**cup, "kind": "first_to", "count": "9999"}).wrong) == ["count"]
    assert list(draw_spec({**cup, "kind": "endless"}).wrong) == ["kind"]


def test_a_race_without_its_keys_has_the_defaults() -> None:
    (race,) = list_races(TOML.replace("sure = 0.9\n", ""), BATCHES)
    assert (race.sure, race.budget, race.is_sure) == (0.95, 900, False)
    assert msgspec.structs.replace(race, sure=0.8).is_sure
