"""Practice: one's own bot against another one, unrated, with its result and its faults."""

import pytest

from maumau.call import rpc_errors
from maumau.errors import (
    ArenaUnreachable,
    BadRequest,
    NotValidated,
    NotYours,
    QuotaReached,
    UnknownPractice,
    UnknownVersion,
)
from maumau.v1 import job_pb2
from services.matchmaking.client import Core
from services.matchmaking.store.practice import MOST_WAITING
from tests.tournament.arena import refused, until

RULES = {"name": "mau_mau"}


@pytest.fixture
def author(arena):
    """The calls of a new author, and a bot of theirs."""
    client, _ = arena.author()
    return arena.calls(client.token), arena.bot("crash", client=client), client


def over(calls, practice_id):
    def found():
        watch = calls.WatchPractice(id=practice_id)
        with rpc_errors():
            now = next(watch).practice
        watch.cancel()
        return now.state == job_pb2.JOB_STATE_OVER and now

    return found


def test_it_is_played_and_its_asker_sees_result_and_faults(arena, author):
    calls, mine, _ = author
    other = arena.field("first")[0]
    practice = calls.Practice(bot=mine, against=other, rules=RULES, sets=30).practice
    assert (practice.booked, practice.score, practice.state) == (0, 0.5, job_pb2.JOB_STATE_OPEN)
    found = arena.play(over(calls, practice.id))
    assert (found.bot, found.against, found.sets, found.booked) == (mine, other, 30, 30)
    assert (found.score, found.faults, found.other_faults) == (0.0, 60, 0)
    assert found.low <= found.score <= found.high < 0.5
    assert found.words == "crash: it died"


def test_a_version_of_one_s_own_may_be_named_by_its_id(arena, author):
    calls, mine, client = author
    version = client.submit(mine, arena.program(f"{mine}-2")).version
    with refused(NotValidated):
        calls.Practice(bot=version.id, against=mine, rules=RULES)
    arena.pass_validation(version.id, ("mau_mau",))
    practice = calls.Practice(bot=version.id, against=mine, rules=RULES, sets=1).practice
    assert arena.play(over(calls, practice.id)).booked == 1


def test_what_cannot_be_practised_is_refused_in_words(arena, author):
    calls, mine, _ = author
    other = arena.field("first")[0]
    with refused(BadRequest, "against itself"):
        calls.Practice(bot=mine, against=mine, rules=RULES)
    with refused(BadRequest, "1 to 500"):
        calls.Practice(bot=mine, against=other, rules=RULES, sets=501)
    with refused(NotYours):
        calls.Practice(bot=other, against=mine, rules=RULES)
    with refused(NotYours):
        calls.Practice(bot=mine, against=arena.version(other).id, rules=RULES)
    with refused(NotValidated, "not validated for prsi"):
        calls.Practice(bot=mine, against=other, rules={"name": "prsi"})
    with refused(UnknownVersion):
        calls.Practice(bot=mine, against="nobody", rules=RULES)
    with refused(UnknownPractice), rpc_errors():
        next(calls.WatchPractice(id="practice_none"))


def test_an_author_waits_for_so_many_at_once_and_nobody_else_sees_them(arena, author):
    calls, mine, _ = author
    other = arena.field("first")[0]
    asked = [
        calls.Practice(bot=mine, against=other, rules=RULES, sets=1).practice.id for _ in range(MOST_WAITING)
    ]
    with refused(QuotaReached, f"{MOST_WAITING} practice matches"):
        calls.Practice(bot=mine, against=other, rules=RULES)
    stranger, _ = arena.author()
    with refused(NotYours), rpc_errors():
        next(arena.calls(stranger.token).WatchPractice(id=asked[0]))
    for practice_id in asked:
        arena.play(over(calls, practice_id))
    calls.Practice(bot=mine, against=other, rules=RULES, sets=1)


def test_its_contest_is_closed_also_when_the_core_is_away_in_between(arena, author, monkeypatch):
    """Else it stays open for ever, and its secret is never told."""
    calls, mine, _ = author
    close, closed = Core.close_contest, []

    async def away_once(core, contest_id):
        if not closed:
            closed.append("")
            raise ArenaUnreachable
        closed.append(contest_id)
        return await close(core, contest_id)

    monkeypatch.setattr(Core, "close_contest", away_once)
    practice = calls.Practice(bot=mine, against=arena.field("first")[0], rules=RULES, sets=1).practice
    assert arena.play(over(calls, practice.id)).booked == 1
    until(lambda: len(closed) > 1)
