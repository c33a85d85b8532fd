"""Rules by example: every scenario file of this folder's neighbour holds."""

from pathlib import Path
from typing import Any

import pytest

from maumau.cli.author.scenario import find_files, read_scenarios, report_scenarios
from maumau.errors import ScenarioFailed
from maumau.game.scenario import run_scenario

FOLDER = Path(__file__).parent.parent / "scenarios"
EVERY = [scenario for path in find_files([FOLDER]) for scenario in read_scenarios(path)]


@pytest.mark.parametrize("scenario", EVERY, ids=lambda scenario: scenario["id"])
def test_a_scenario_holds(scenario: dict[str, Any]) -> None:
    run_scenario(scenario)


def test_no_two_scenarios_have_one_name() -> None:
    ids = [scenario["id"] for scenario in EVERY]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"legal": ["9S"]}, "step 1, expected legal [9S], got [8S]"),
        ({"turn": "B"}, "step 1, expected turn B, got A"),
        ({"count": {"A": 3}}, "step 1, expected count {A: 3}, got {A: 2}"),
        ({"hand": {"A": "8S 8H"}}, "step 1, expected hand {A: 8S 8H}, got {A: 8S 9D}"),
        ({"illegal": {"A": "8S"}}, "step 1, expected illegal {A: 8S}, got it accepted"),
        ({"over": True}, "step 1, expected over true, got false"),
        ({"wish": "H"}, "step 1, expected wish H, got none"),
        ({"owes": 2}, "step 1, unknown check owes"),
        ({"A": "9S"}, "step 1, {A: 9S}: 9S: A does not hold 9S"),
        ({"event": "A 7S"}, "step 1, expected event A 7S, got"),
    ],
)
def test_a_scenario_that_does_not_hold_says_where(step: dict[str, Any], words: str) -> None:
    scenario = {"rules": "mau_mau", "deal": {"A": "8S 9D", "B": "7C 7D", "up": "TS"}, "steps": [step]}
    with pytest.raises(ScenarioFailed) as failure:
        run_scenario(scenario)
    assert words in str(failure.value)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"steps": None}, "steps is not a list of steps"),
        ({"steps": ["A: 7H"]}, "steps is not a list of steps"),
        ({"deal": ["7H"]}, "deal is not a table of hands"),
        ({"first": "Q"}, "first is not a seat: the seats are A B C"),
        ({"deel": {}}, "unknown key deel"),
    ],
)
def test_a_scenario_of_another_shape_is_said_in_words(changed: dict[str, Any], words: str) -> None:
    scenario = {"rules": "mau_mau", "deal": {"A": "8S 9D", "B": "7C 7D", "up": "TS"}, "steps": []}
    with pytest.raises(ScenarioFailed, match=words):
        run_scenario(scenario | changed)
    with pytest.raises(ScenarioFailed, match="it does not say deal, steps"):
        run_scenario({"id": "half", "rules": "mau_mau"})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file or directory"),
        (b"\xff\xfe", "it is not valid UTF-8"),
        (b"a: [1", "while parsing a flow sequence in"),
        (b"- a", "it is not a list of scenarios"),
    ],
)
def test_a_file_without_scenarios_fails_with_the_reason(
    tmp_path: Path, content: bytes | None, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / "some.yaml").write_bytes(content)
    assert report_scenarios([tmp_path / "some.yaml"]) == 1
    said = capsys.readouterr().out
    assert words in said
    assert (said.count("\n"), "Errno" in said) == (1, False)


def test_a_folder_without_scenarios_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report_scenarios([tmp_path]) == 1
    assert capsys.readouterr().out == f"FAIL {tmp_path}: it contains no scenarios\n"
