"""An arena from before there were ladders: its tournament goes on, and its bots play on ladders."""

import sqlite3
from pathlib import Path

import pytest

from maumau.contest.export.verify import verify
from tests.matchmaking.test_practice import RULES, over
from tests.matchmaking.test_seek import Author
from tests.matchmaking.test_survival import meet, ratings
from tests.support.arenas.matchmaker import Matchmaker
from tests.support.arenas.seat import Player
from tests.support.waiting import until

pytestmark = pytest.mark.long

DATA = (
    Path(__file__).parent / "data"
)  # registry at 0007, tournament at 0011: a block claimed, a match decided
# results of that version, undisturbed
WHOLE = "0974a63ca3f36ff4a2a4aed2320fb63de057858680b3c1a5c4424fcbf2eccbc8"


@pytest.fixture
def earlier(loop, valkey, tmp_path):
    """Yield an arena of today on that version's data folder."""
    for name in ("registry", "tournament"):
        found = sqlite3.connect(tmp_path / f"{name}.db")
        found.executescript((DATA / f"before_ladders_{name}.sql").read_text())
        found.close()
    arena = Matchmaker(loop, tmp_path, "", f"{valkey}", sweep=0.1).begin()
    yield arena
    arena.stop()


def test_its_tournament_ends_as_it_would_have_and_its_bots_play_live(earlier, tmp_path):
    (claimed,) = earlier.blocks("half", "claimed")
    assert len(earlier.blocks("half", "done")) == 3
    ladder = earlier.ladder("first-0", "random-0")  # while the tournament is still being played
    earlier.end_lease(claimed.id)  # its worker does not come back
    earlier.finish("half")
    assert earlier.admin.tournament("half").compared == WHOLE
    (tmp_path / "half.jsonl").write_bytes(earlier.export("half"))
    assert verify(tmp_path / "half.jsonl").differing == 0

    earlier.play(lambda: all(line.sets >= 20 for line in earlier.lines(ladder)))
    earlier.leave(ladder)
    calls = earlier.calls()
    practice = calls.Practice(bot="crash-0", against="first-0", rules=RULES, sets=5).practice
    found = earlier.play(over(calls, practice.id))
    assert (found.booked, found.score, found.faults) == (5, 0.0, 10)

    ada, bob = Author(earlier), Author(earlier)
    players = [Player([ada.engine], told.token) for told in meet(ada, bob)]
    assert all(player.ended() for player in players)
    assert {(name, games) for name, _, games in until(lambda: ratings(ada))} == {(ada.name, 1), (bob.name, 1)}
