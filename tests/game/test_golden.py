"""Golden games: a record per variant and per way to end. They prove stability, not truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from maumau.game import record, record_game, replay, resume, variants
from tests.game.ending import FOLDER, every, true
from tests.support.kinds import one_of

GOLDEN = sorted(FOLDER.glob("*.record"))
DEALS = [path for path in GOLDEN if "-game-" not in path.stem]
GAMES = [path for path in GOLDEN if "-game-" in path.stem]


@pytest.mark.parametrize("path", DEALS, ids=lambda path: path.stem)
def test_a_golden_deal_is_played_as_ever(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert record(replay(text)) == text


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_golden_game_is_played_as_ever(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert record_game(resume(text)) == text


@pytest.mark.parametrize("path", one_of(2, DEALS), ids=lambda path: path.stem)
def test_a_golden_deal_stops_after_any_action(path: Path) -> None:
    d = replay(path.read_text(encoding="utf-8"))
    assert d.over
    lines = path.read_text(encoding="utf-8").split("\n")
    starts = [at for at, line in enumerate(lines) if at > 4 and line[1:2] == " " and line[2:3] not in "+o"]
    told = (" side ", " back ", " guilty", " innocent")  # what follows from an action, or is told together
    starts = [at for at in starts if not any(word in lines[at] for word in told) and lines[at - 1] != "held"]
    for at in starts[:: max(1, len(starts) // 12)]:
        follows = "skipped" in lines[at] or " shows " in lines[at]
        if not follows and "shuffle" not in lines[at - 1]:
            assert not replay("\n".join(lines[:at]) + "\n").over


@pytest.mark.parametrize("name", variants())
def test_there_is_a_golden_record_for_every_way_to_end(name: str) -> None:
    """After an intended change of a rule `python -m tests.game.ending NAME` rewrites the changed records."""
    missing = [word for word, way in every(name).items() if not true(name, word, way)]
    assert not missing
