"""The history of a ladder follows from its results: made late, made again, or after results came late."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import make_url

from maumau.cli.contest.ladder.history import RatingStep, draw_interval, list_steps, pick_steps
from maumau.client.answer import RatingPoint, VersionHistory
from maumau.contest.ladder.history import STEP
from maumau.contest.ladder.pairing import Pair
from maumau.errors import NotJoined, NotLeading
from maumau.v1 import job_pb2
from services.matchmaking.models import Epoch, Ladder, Pairing
from services.matchmaking.store import LadderHistory, Ladders
from services.matchmaking.store.booking import Booked
from services.matchmaking.store.history import forget_points
from services.matchmaking.store.player import ActiveVersion
from services.matchmaking.upkeep.history import LAG, Historian
from services.shared.store.connect import Database
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN
from tests.support.stores import tables
from tests.support.terminal import home_of

UNITS = {"win": 4}
BEGIN = 1_000_000 * STEP


class Shelf:
    """A ladder of three bots in a database of its own, without an arena; time is what the test says."""

    def __init__(self, url):
        if url.startswith("sqlite"):
            tables.copy_to(Path(make_url(url).database), "matchmaking")
        self.database = Database(url, "matchmaking")
        self.ladders, self.history = Ladders(self.database, UNITS), LadderHistory(self.database, UNITS)
        self.ladders.create_ladder(
            Ladder(
                name="x", rules="mau_mau", options="{}", rules_hash="h", score="win", deal_ms=100, memory=512
            )
        )
        for bot in ("a", "b", "c"):
            self.ladders.join_ladder("x", bot, ActiveVersion(f"version_{bot}", bot), BEGIN, pinned=bot == "a")
        with self.database.write() as session:
            session.add(Epoch(id="e", ladder="x", number=1, rules_hash="h", state="running"))
            session.flush()
            for label, (first, second) in enumerate(((0, 1), (1, 2), (0, 2)), start=1):
                session.add(
                    Pairing(
                        epoch_id="e", label=label, ladder="x", first=first, second=second, kind="new",
                        numbers="{}", sets=10_000,
                    )
                )  # fmt: skip

    def book(self, booking, at, label="1", total=50):
        return self.ladders.book_result("e", Booked(booking, label, 20, total, 4 * total, (0, 0), at))

    def written(self, *players):
        found = self.history.of_players("x", players or range(3))
        return [(one.point, one.player, one.elo, one.low, one.high, one.sets) for one in found]


@pytest.fixture
def shelf(new_database, tmp_path):
    found = Shelf(new_database() or f"sqlite:///{tmp_path}/matchmaking.db")
    yield found
    found.database.close()


@pytest.fixture
def racing_shelf(database_url):
    found = Shelf(database_url)
    yield found
    found.database.close()


def write_all(shelf, now):
    historian = Historian(shelf.history)
    while historian.write("x", now):
        pass


def test_a_point_has_what_was_booked_before_it(shelf):
    shelf.book(1, BEGIN + 1)
    shelf.book(2, BEGIN + STEP + 1, "2")
    write_all(shelf, BEGIN + 3 * STEP)
    step = BEGIN // STEP
    lines = [(point - step, player, sets) for point, player, *_, sets in shelf.written()]
    assert lines == [(1, 0, 20), (1, 1, 20), (2, 0, 20), (2, 1, 40), (2, 2, 20)]
    assert [elo for _, player, elo, *_ in shelf.written(0)] == [0, 0]  # it holds the scale
    assert shelf.written(1)[0][2] < 0


@pytest.mark.long
def test_results_that_come_late_thrice_and_in_another_order_give_the_same_history(shelf, tmp_path):
    results = [(BEGIN + k * STEP // 3, str(1 + k % 3), 30 + k) for k in range(30)]
    now = BEGIN + 12 * STEP
    for number, (at, label, total) in enumerate(results, start=1):
        shelf.book(number, at, label, total)
    write_all(shelf, now)
    other = Shelf(f"sqlite:///{tmp_path}/other.db")
    historian = Historian(other.history)
    for number, (at, label, total) in enumerate(reversed(results), start=1):
        for _ in range(3):
            other.book(number, at, label, total)
            historian.note_result("x", at)
        historian.write("x", now)
    write_all(other, now)
    assert other.written() == shelf.written()
    assert len({point for point, *_ in shelf.written()}) == 11
    other.database.close()


def test_a_point_made_again_is_the_same_though_another_bot_holds_the_scale_now(shelf):
    shelf.book(1, BEGIN + 1, total=60)
    write_all(shelf, BEGIN + 2 * STEP)
    before = shelf.written()
    point = before[0][0]
    shelf.ladders.join_ladder("x", "b", ActiveVersion("version_b", "b"), BEGIN + 9, pinned=True)
    assert shelf.history.read_past("x", point).anchors == [0]
    assert shelf.written() == before


@pytest.mark.stores
def test_a_point_is_made_again_if_a_result_came_while_it_was_made(racing_shelf, monkeypatch):
    shelf, historian = racing_shelf, Historian(racing_shelf.history)
    shelf.book(1, BEGIN + 1)
    read = LadderHistory.read_past

    def read_and_book(history, ladder, point):
        found = read(history, ladder, point)
        shelf.book(2, BEGIN + 2)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(LadderHistory, "read_past", read_and_book)
        assert historian.write("x", BEGIN + STEP + LAG) == 0
    assert not shelf.written()
    assert historian.write("x", BEGIN + STEP + LAG) == 1
    assert [one[-1] for one in shelf.written()] == [40, 40]


@pytest.mark.stores
def test_a_writer_that_was_overtaken_leaves_the_points_of_the_other_one(racing_shelf, monkeypatch):
    shelf = racing_shelf
    shelf.book(1, BEGIN + 1)
    read = LadderHistory.read_past

    def read_while_the_other_writes(history, ladder, point):
        found = read(history, ladder, point)
        with monkeypatch.context() as patch:
            patch.setattr(LadderHistory, "read_past", read)
            write_all(shelf, BEGIN + 2 * STEP + LAG)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(LadderHistory, "read_past", read_while_the_other_writes)
        Historian(shelf.history).write("x", BEGIN + STEP + LAG)
    Historian(shelf.history).write("x", BEGIN + STEP + LAG)
    assert shelf.history.list_points("x") == [BEGIN // STEP + 1, BEGIN // STEP + 2]


@pytest.mark.long
def test_old_points_are_dropped_and_the_same_ones_are_left_as_if_they_were_made_today(shelf):
    shelf.book(1, BEGIN + 1)
    for step in (20, 60, 130):
        write_all(shelf, BEGIN + step * STEP + 20_000)
    often = shelf.written()
    with shelf.database.write() as session:
        forget_points(session, "x", 0)
    assert shelf.written() == []
    write_all(shelf, BEGIN + 130 * STEP + 20_000)
    assert shelf.written() == often
    assert len({point for point, *_ in often}) == 48 + 24 + 8


@pytest.mark.long
def test_a_bot_is_told_with_its_rating_now_and_in_the_terminal_as_a_chart(arena, tmp_path):
    first, second = arena.field("first", "random")
    name = arena.ladder(first, second)
    terminal = home_of(arena, tmp_path, ADMIN)
    assert f"{first} has no result yet" in terminal.run("ladder", "history", name, first).out
    arena.play(lambda: any(line.sets >= 20 for line in arena.lines(name)))
    arena.leave(name)
    arena.play(lambda: all(one.state == job_pb2.JOB_STATE_OVER for one in arena.pairings(name)))
    arena.calls().JoinLadder(ladder=name, bot_name=first)
    (version,) = arena.calls().GetRatingHistory(ladder=name, bot_name=first).versions
    (line,) = [one for one in arena.lines(name) if one.bot_name == first]
    assert (version.version_id, version.number, version.parent) == (line.version_id, 1, 0)
    assert version.version == line.version == 1
    assert version.points[-1].elo == line.elo
    shown = terminal.run("ladder", "history", name, first).out
    assert f"{line.elo:+.0f}" in shown
    assert "o-" in shown
    (told,) = json.loads(terminal.run("ladder", "history", name, first, "--json").out)
    assert told["points"][-1]["sets"] == line.sets
    with refused(NotJoined, "has never been"):
        arena.calls().GetRatingHistory(ladder=name, bot_name="nobody")
    arena.leave(name)


def at(minute):
    return datetime(2026, 11, 23, 14, minute, tzinfo=UTC)


def test_an_interval_is_drawn_to_scale():
    """From -100 to +100 in 21 columns, ten Elo each: -50 is the sixth column, +30 the fourteenth."""
    assert draw_interval(RatingPoint(at(0), -10, -50, 30, 20), -100, 100, 21) == "     ----o----"


def test_lines_are_picked_evenly_with_the_first_and_the_last():
    points = tuple(RatingPoint(at(k), k, k - 1, k + 1, k) for k in range(30))
    old = VersionHistory("v1", 6, 0, None, points[:10], version=1)
    new = VersionHistory("v3", 12, 6, None, points[10:], version=3)
    steps = list_steps((old, new))
    assert [step.point for step in steps] == list(points)
    assert [step.version for step in pick_steps(steps, 4)] == [1, 3, 3, 3]
    assert [step.point.sets for step in pick_steps(steps, 4)] == [0, 10, 19, 29]
    assert pick_steps(steps[:1], 4) == [RatingStep(1, points[0])]


def test_a_replica_that_leads_no_more_begins_no_epoch_and_pairs_nobody(shelf):

    def refuse(_session):
        raise NotLeading

    replaced = Ladders(shelf.database, UNITS, refuse)
    (epoch,) = replaced.list_epochs("x")
    with pytest.raises(NotLeading):
        replaced.add_epoch("x", "h", BEGIN)
    with pytest.raises(NotLeading):
        replaced.add_pairings(epoch, [Pair(0, 1, "new", {})], [20], BEGIN)
    assert len(replaced.list_epochs("x")) == 1
    assert [one.label for one, _ in replaced.new_pairings(epoch)] == [1, 2, 3]
