"""Steps that are refused where a contest or match is no longer as its organiser has looked at it."""

import pytest

from maumau.errors import BadRequest, WrongState
from maumau.v1 import tournament_pb2
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN, play_all

CHANGED = "Match 1.1.1 has changed since you looked at it"
REASON = "a host was ill"


@pytest.fixture
def decided(arena):
    """Return a contest of one match, which is decided and may still be protested."""
    name = arena.begin("first", "random", block=2, cap=2, top="[schedule]\nprotest_minutes = 60")
    play_all(arena, name)
    return name


def show_match(arena, name):
    return arena.admin.match(name, "1.1.1").match


def test_a_result_is_not_cancelled_by_somebody_who_saw_it_being_played(arena, decided):
    with refused(WrongState, "is decided; that is possible only while it is running"):
        arena.admin.cancel(decided, "running")
    assert arena.admin.tournament(decided).state == "decided"
    assert arena.admin.cancel(decided, "decided").state == "cancelled"


def test_a_match_taken_back_twice_by_two_organisers_is_taken_back_once(arena, decided):
    """Both look at the first take; the second one acts after the second take is decided."""
    seen = show_match(arena, decided)
    arena.admin.retake(decided, "1.1.1", REASON, take=seen.take, state=seen.state)
    play_all(arena, decided)
    with refused(WrongState, CHANGED):
        arena.admin.retake(decided, "1.1.1", REASON, take=seen.take, state=seen.state)
    now = show_match(arena, decided)
    assert (now.take, now.state) == (2, "decided")


def test_states_that_there_are_not_are_refused(arena, decided):
    calls = arena.tournament(ADMIN)
    with refused(BadRequest, "There is no state 99"):
        calls.Cancel(tournament=decided, state=99)
    with refused(BadRequest, "There is no state 99"):
        calls.RetakeMatch(tournament=decided, label="1.1.1", reason=REASON, state=99)
    with refused(BadRequest, "There is no state 'nonsense'"):
        arena.admin.cancel(decided, "nonsense")
    assert tournament_pb2.CancelRequest(tournament=decided).state == 0
    assert arena.admin.cancel(decided).state == "cancelled"
