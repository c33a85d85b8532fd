"""Tables of a ladder that has played, and the dump of an arena, which two runs leave as one."""

import json

import pytest

from maumau.client.answer import Tournament
from maumau.client.arena import Arena
from maumau.client.call import to_struct
from maumau.client.matchmaking import Matchmaking
from maumau.errors import NotAllowed
from maumau.v1 import tournament_pb2 as t
from services.dump.save import _list_parts, check_reader, save_dump
from services.matchmaking.upkeep import keeper
from services.shared.store.storage import Storage
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import home_of
from tests.support.waiting import until


@pytest.fixture(scope="module")
def ladder(arena):
    """Yield the name of a ladder of two bots whose first epoch is over."""
    name = arena.ladder(*arena.field("first", "random"))
    arena.play(lambda: arena.lines(name)[0].sets >= 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keeper, "EPOCH", 0)
        until(lambda: len(arena.calls().ListEpochs(ladder=name).epochs) > 1)
    arena.play(lambda: any(one.secret for one in arena.calls().ListEpochs(ladder=name).epochs))
    yield name
    arena.leave(name)


@pytest.mark.long
def test_a_ladder_is_written_as_tables(arena, ladder, tmp_path):
    terminal = home_of(arena, tmp_path, ADMIN)
    found = terminal.run("data", f"ladder:{ladder}", "--format", "jsonl", "--json").json()
    assert found["folder"] == f"ladder-{ladder}.data"
    tables = {
        one["table"]: [json.loads(line) for line in (tmp_path / found["folder"] / one["name"]).open()]
        for one in found["files"]
    }
    epochs = {one["epoch"] for one in tables["sets"]}
    over = {one.number for one in arena.calls().ListEpochs(ladder=ladder).epochs if one.secret}
    assert epochs <= over
    booked = sum(one.booked for one in arena.pairings(ladder) if one.epoch in over)
    assert len(tables["sets"]) == len(tables["records"]) == 2 * booked > 0
    pairs = zip(tables["sets"][::2], tables["sets"][1::2], strict=True)
    assert all(one["score"] + other["score"] == 1 for one, other in pairs)
    assert {one["bot"] for one in tables["ratings"]} == {one["bot"] for one in tables["sets"]}
    assert {one["contest"] for one in tables["ratings"]} == {f"ladder:{ladder}"}
    refused = terminal.run("data", f"ladder:{ladder}", "--since", "2999-01-01", code=1).err
    assert f"No epoch of the ladder {ladder} has ended since 2999-01-01" in refused
    assert "no ladder" in terminal.run("data", "ladder:none", code=1).err.lower()
    assert "--since chooses epochs" in terminal.run("data", "cup", "--since", "2026-11-01", code=1).err


@pytest.mark.long
def test_a_dump_made_twice_is_the_same_and_one_cut_short_is_made_whole(arena, ladder, tmp_path):
    place = Storage(str(tmp_path / "dump"), "a test")
    token = arena.author()[0].token
    with Arena(arena.address, arena.address, token) as link, Matchmaking(arena.address, token) as ladders:
        check_reader(link)
        with pytest.raises(NotAllowed, match="sees contests of groups"):
            check_reader(arena.admin)
        first = save_dump(link, ladders, place, "csv")
        assert f"ladders/{ladder}/epoch-1" in first.written
        before = read_games(tmp_path / "dump")
        again = save_dump(link, ladders, place, "csv")
        assert again.written == []
        assert again.kept == first.written
        (tmp_path / f"dump/ladders/{ladder}/epoch-1/manifest.json").unlink()
        assert save_dump(link, ladders, place, "csv").written == [f"ladders/{ladder}/epoch-1"]
        assert read_games(tmp_path / "dump") == before
        assert len(before) == 2 * len(first.written)


class Listing:
    """An arena of contests without ladders, as an account that has made some of them sees it."""

    def __init__(self, *specs):
        self.specs = specs

    def tournaments(self):
        row = t.Tournament(state=t.TOURNAMENT_STATE_FINISHED)
        for number, spec in enumerate(self.specs):
            row.name, row.spec_toml = f"cup-{number}", spec
            yield to_struct(Tournament, row)

    def ladders(self):
        return ()


def test_a_dump_has_no_hidden_contest_of_its_own_account():
    """An account sees unlisted contests that it has made, and those of a group that it entered and left."""
    arena = Listing('visibility = "unlisted"', 'visibility = "group"\ngroup = "class-9b"', 'rules = "prsi"')
    assert [part.name for part in _list_parts(arena, arena, "csv")] == ["contests/cup-2"]


def read_games(folder):
    """Return the files that no later rating changes."""
    return {path: path.read_bytes() for name in ("records", "sets") for path in folder.rglob(f"{name}.csv")}
