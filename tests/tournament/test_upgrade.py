"""A tournament half played by an earlier release goes on, and comes to what it would have come to there."""

import sqlite3
from pathlib import Path

import pytest

from maumau.contest.export.verify import verify
from tests.support.arenas.tournament import Arena

HALF = Path(__file__).parent / "data" / "half_played_0005.sql"  # with a block claimed, one match decided
WHOLE = "b0f813f84987b788dfdf7011e57201f9ffcfdb400778f110e9135daebd6abe7f"
"""The hash of that release's undisturbed end; records with forfeits say since how these count."""


@pytest.fixture
def arena(loop, valkey, tmp_path):
    """Yield an arena on that release's database."""
    found = sqlite3.connect(tmp_path / "tournament.db")
    found.executescript(HALF.read_text())
    found.close()
    arena = Arena(loop, tmp_path, "", valkey, sweep=0.1)
    arena.start()
    yield arena
    arena.stop()


@pytest.mark.long
def test_it_is_played_to_the_end_that_the_earlier_release_would_have_reached(arena, tmp_path):
    (claimed,) = arena.blocks("cup", "claimed")
    arena.end_lease(claimed.id)  # who claimed it does not come back
    arena.finish("cup")
    assert arena.admin.tournament("cup").compared == WHOLE
    (tmp_path / "cup.jsonl").write_bytes(arena.export("cup"))
    assert verify(tmp_path / "cup.jsonl").differing == 0
