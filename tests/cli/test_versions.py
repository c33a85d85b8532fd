"""Versions of one bot are told apart in the terminal, in whatever lists several."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from maumau.cli.author.past_practice import _practice_table
from maumau.cli.author.practice import _describe_practice, _describe_progress
from maumau.cli.contest.ladder.history import RatingStep, chart_ratings
from maumau.cli.contest.ladder.ladder import _print_changes
from maumau.cli.contest.ladder.pairing import pairing_table
from maumau.cli.shared.version import find_version
from maumau.client.answer import (
    GetLadderHelpsResponse,
    GetLeaderboardResponse,
    GetPairingSetResponse,
    LadderHelp,
    PracticeMatch,
    RatingPoint,
    SetResult,
)
from maumau.client.answer.version_name import name_versions, tell_apart
from maumau.errors import UnknownVersion
from maumau.screen.contest.fairness import describe_ladder_helps
from maumau.screen.output import show
from tests.support.fake import NOW, a_line, a_pairing

PRACTICE = PracticeMatch(
    "practice_1", "fox", "fox", None, 20, 20, 0.6, 0.5, 0.7, 2, 1, "over", "", ("hen",),
    version=3, against_version=2, more_versions=(1,),
)  # fmt: skip


@pytest.mark.parametrize(
    ("bots", "versions", "full", "apart"),
    [
        (("fox", "hen"), (3, 1), ("fox v3", "hen v1"), ("fox", "hen")),
        (("fox", "fox"), (3, 2), ("fox v3", "fox v2"), ("fox v3", "fox v2")),
        (("fox", "hen", "fox"), (3, 1, 2), ("fox v3", "hen v1", "fox v2"), ("fox v3", "hen", "fox v2")),
        (("fox", "fox", "hen"), (0, 0), ("fox", "fox", "hen"), ("fox", "fox", "hen")),  # of an earlier arena
    ],
)
def test_a_version_is_named_with_its_number_where_it_is_known(bots, versions, full, apart) -> None:
    assert name_versions(bots, versions) == full
    assert tell_apart(bots, versions) == apart


class Kept:
    """An arena with three versions of fox, newest first."""

    def bots(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name="fox", versions=self.versions("fox"))]

    def versions(self, bot: str) -> list[SimpleNamespace]:
        numbers = {"fox": (3, 2, 1)}.get(bot, ())
        return [SimpleNamespace(id=f"version_{number}", number=number) for number in numbers]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("fox",), "version_3"),
        (("fox", "1"), "version_1"),
        (("fox", "v2"), "version_2"),
        (("version_x",), "version_x"),
    ],
)
def test_a_version_is_found_by_its_bot_and_number(words, found) -> None:
    assert find_version(Kept(), *words) == found


@pytest.mark.parametrize(
    ("bot", "number", "said"),
    [
        ("fox", "99", "The bot fox has no version 99; its newest is 3."),
        ("fox", "two", "The bot fox has no version two; its newest is 3."),
        ("hen", "1", "The bot hen has no version 1; it has none."),
    ],
)
def test_a_number_that_no_version_has_is_refused_with_the_newest(bot, number, said) -> None:
    with pytest.raises(UnknownVersion, match=f"^{said}$"):
        find_version(Kept(), bot, number)


def test_pairings_name_both_versions(capsys) -> None:
    show(pairing_table([a_pairing("3.2", "fox", "hen", first_version=3, second_version=1),
                        a_pairing("3.1", "fox", "hen", first_version=2, second_version=1)]))  # fmt: skip
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split()[:5] for line in lines] == [
        ["3.2", "fox", "v3", "hen", "v1"], ["3.1", "fox", "v2", "hen", "v1"],
    ]  # fmt: skip


def test_the_deals_of_two_versions_of_one_bot_name_both() -> None:
    pairing = a_pairing("3.1", "fox", "fox", first_version=3, second_version=2)
    assert pairing.names == {0: "fox v3", 1: "fox v2"}
    found = GetPairingSetResponse(pairing, SetResult(0, ()), ("fox", "fox"), None)
    assert found.distinct_names == ("fox v3", "fox v2")


def test_past_practice_names_all_versions(capsys) -> None:
    show(_practice_table([PRACTICE], 80))
    line = capsys.readouterr().out.splitlines()[2]
    assert line.split()[:7] == ["practice_1", "fox", "v3", "fox", "v2,", "hen", "v1"]


def test_practice_that_waits_says_what_is_played_beside_it() -> None:
    waiting = msgspec.structs.replace(PRACTICE, booked=0, sets=20)
    told = "0 of 20 deal sets; beside tournaments it gets every fifth block, `maumau queue` lists what waits"
    assert _describe_progress(waiting) == told
    assert _describe_progress(msgspec.structs.replace(waiting, booked=10)) == "10 of 20 deal sets"


def test_practice_against_a_version_of_the_same_bot_says_whose_faults_are_whose() -> None:
    told = list(_describe_practice(PRACTICE))
    assert told[0].startswith("fox v3 against fox v2, hen v1, : score 0.600")
    assert told[1:] == [
        "fox v3 lost 2 deals by its own fault", "fox v2, hen v1 lost 1 deal by their own fault",
    ]  # fmt: skip


def test_ratings_over_time_name_the_bot_s_own_versions(capsys) -> None:
    show(chart_ratings([RatingStep(n, RatingPoint(NOW, 1.0, 0.0, 2.0, 20)) for n in (3, 0)], 80))
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()[2:]] == ["3", "?"]


def test_the_report_of_helpers_names_versions(capsys) -> None:
    numbers = {"helper_version": 2, "helped_version": 3}
    found = LadderHelp("fox", "ada", "fox", "ada", True, 400, 0.31, 0.02, 1e-20, True, **numbers)
    show(*describe_ladder_helps(GetLadderHelpsResponse((found,), 210)))
    text = " ".join(capsys.readouterr().out.split())
    assert "fox v2 (ada)" in text
    assert "fox v3 (ada)" in text


def test_a_watch_of_a_ladder_tells_a_new_version_from_the_one_before_it(capsys) -> None:
    """It has the same place as the one that it has replaced."""
    _print_changes(
        iter(
            GetLeaderboardResponse(None, (a_line(1, "fox", elo, sets=400, version=number),))
            for number, elo in ((2, 10.0), (2, 11.0), (3, 20.0))
        )
    )
    assert [line.split()[:4] for line in capsys.readouterr().out.splitlines()] == [
        ["1.", "fox", "v2", "+10"], ["1.", "fox", "v3", "+20"],
    ]  # fmt: skip
