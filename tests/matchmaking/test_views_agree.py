"""Board, history, export and API of a ladder tell the same, also after a worker is found to have lied."""

from __future__ import annotations

import json

import pytest

from maumau.contest.ladder import rest
from services.shared.base import clock
from services.shared.store.connect import Database
from services.tournament.store.blocks.worker import Workers
from tests.matchmaking.test_rest import rest_of
from tests.support.arenas.tournament import WORKER
from tests.support.waiting import until

pytestmark = pytest.mark.long


def read_export(arena, name):
    _, *parts = arena.calls().ExportLadder(ladder=name, epoch=1)
    return b"".join(part.chunk for part in parts)


def count_sets(arena, name):
    """Return the sets of a ladder of two by view: each set is one of both bots."""
    history = [
        arena.calls().GetRatingHistory(ladder=name, bot_name=line.bot_name).versions[-1].points[-1].sets
        for line in arena.lines(name)
    ]
    records = [line for line in read_export(arena, name).splitlines() if json.loads(line)["kind"] == "record"]
    return {
        "board": [line.sets for line in arena.lines(name)], "history": history, "export": [len(records)] * 2,
        "pairings": [sum(one.booked for one in arena.pairings(name, page_size=1000))] * 2,
    }  # fmt: skip


def test_results_of_an_ended_epoch_stay_in_all_views_when_their_worker_is_distrusted(
    arena, monkeypatch
) -> None:
    """They have been told with links, and `compared` is public: an audit voids nothing of them."""
    monkeypatch.setattr(rest, "LEAST_SETS", 20)
    monkeypatch.setattr(rest, "TARGET", 10_000.0)
    name = arena.ladder(*arena.field("first", "random"))
    arena.play(lambda: rest_of(arena, name))
    arena.play(lambda: all(one.booked == one.sets for one in arena.pairings(name, page_size=1000)))
    (epoch,) = until(lambda: [one for one in arena.calls().ListEpochs(ladder=name).epochs if one.compared])
    before, export = count_sets(arena, name), read_export(arena, name)
    assert len({sets for view in before.values() for sets in view}) == 1
    assert before["board"][0] >= 20
    database = Database(arena.settings.database("tournament"), "tournament")
    Workers(database).distrust_worker(arena.worker.name, "it reported what was not played", clock.now())
    try:
        for _ in range(2):
            arena.tournament(WORKER).Sweep()
        assert count_sets(arena, name) == before
        assert read_export(arena, name) == export
        assert epoch.compared == json.loads(export.splitlines()[-1])["compared"]
    finally:
        with database.write() as session:
            session.connection().exec_driver_sql("DELETE FROM worker")
        database.close()
        arena.leave(name)
