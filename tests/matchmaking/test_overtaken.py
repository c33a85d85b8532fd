"""Overtaking on a ladder: who is told, by whom, once for each pair of versions, and not of first ratings."""

import json

import pytest

from maumau.contest.statistics.rating import Rating
from services.matchmaking.store.overtaken import LEAST_SETS, LadderNotices
from services.shared.base.auth import Identity
from tests.matchmaking.test_history import Shelf


@pytest.fixture
def shelf(new_database, tmp_path):
    shelf = Shelf(new_database() or f"sqlite:///{tmp_path}/matchmaking.db")
    yield shelf
    shelf.database.close()


def keep(shelf, point, *elos, sets=LEAST_SETS):
    """Store a point with these ratings of a, b and c."""
    ratings = {player: Rating(elo, elo - 9, elo + 9) for player, elo in enumerate(elos)}
    shelf.history.store_point("x", point, [0], ratings, dict.fromkeys(ratings, sets), 0)


def told(shelf):
    return [(one.accounts, json.loads(one.data)) for one in LadderNotices(shelf.database).list_waiting()]


def test_who_is_passed_is_told_by_whom_and_where_he_stands(shelf):
    keep(shelf, 10, 0, 50, 40)
    keep(shelf, 11, 0, 50, 45)
    assert told(shelf) == []
    keep(shelf, 12, 0, 44, 45)
    overtaken = {"bot": "b", "ladder": "x", "by": "c", "place": 2, "before": 1}
    assert told(shelf) == [("b", overtaken)]
    shelf.history.drop_points("x", [12])
    keep(shelf, 12, 0, 44, 45)  # a late result came, and the point was made again
    keep(shelf, 13, 0, 46, 45)
    keep(shelf, 14, 0, 44, 45)  # near equals change places again
    assert told(shelf) == [("b", overtaken), ("c", overtaken | {"bot": "c", "by": "b"})]
    assert len({one.id for one in LadderNotices(shelf.database).list_waiting()}) == 2


def test_a_few_sets_pass_nobody(shelf):
    keep(shelf, 10, 0, 50, 40, sets=LEAST_SETS - 1)
    keep(shelf, 11, 0, 40, 50)
    keep(shelf, 12, 0, 40, 50, sets=LEAST_SETS - 1)
    assert told(shelf) == []


def test_who_has_left_is_not_told(shelf):
    keep(shelf, 10, 0, 50, 40)
    shelf.ladders.leave_ladder("x", "b", Identity("account_b", "b", frozenset()))
    keep(shelf, 11, 0, 40, 50)
    assert told(shelf) == []
