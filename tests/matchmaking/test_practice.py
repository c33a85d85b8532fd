"""Practice: one's own bot against another one, unrated, with its result and its faults."""

import pytest

from maumau.client.call import rpc_errors
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
from tests.support.arenas.calls import refused
from tests.support.terminal import home_of
from tests.support.waiting import until

RULES = {"name": "mau_mau"}


@pytest.fixture
def author(arena):
    """Return the calls of a new author, and a bot of theirs."""
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
    assert (found.version, found.against_version) == (1, 1)
    assert (found.score, found.faults, found.other_faults) == (0.0, 60, 0)
    assert found.low <= found.score <= found.high < 0.5
    assert found.words == "crash: it died"


@pytest.mark.long
def test_a_version_of_one_s_own_may_be_named_by_its_id(arena, author, tmp_path):
    calls, mine, client = author
    version = client.submit(mine, arena.program(f"{mine}-2"), activate=False).version
    with refused(NotValidated):
        calls.Practice(bot=version.id, against=mine, rules=RULES)
    arena.pass_validation(version.id, ("mau_mau",))
    practice = calls.Practice(bot=version.id, against=mine, rules=RULES, sets=1).practice
    assert (practice.bot, practice.version, practice.against, practice.against_version) == (mine, 2, mine, 1)
    (queued,) = until(lambda: client.queue().matches)
    assert (queued.bot_names, queued.bot_versions) == ((mine, mine), (2, 1))
    assert f"{mine} v2 : {mine} v1" in home_of(arena, tmp_path, client.token).run("queue").out
    assert arena.play(over(calls, practice.id)).booked == 1
    home = home_of(arena, tmp_path, client.token)
    record = home.run("practices", "record", practice.id, "0").out
    assert f"set 0, seating 1: A {mine} v1, B {mine} v2" in record


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


@pytest.mark.long
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


def list_pages(calls, size):
    pages, token = [], ""
    while True:
        found = calls.ListPractice(page_size=size, page_token=token)
        pages.append([one.id for one in found.practice])
        if not (token := found.next_page_token):
            return pages


@pytest.mark.long
def test_practice_that_is_over_is_listed_for_the_one_who_asked(arena, author):
    calls, mine, client = author
    other, second = arena.field("first")[0], arena.bot("first", client=client)
    assert not calls.ListPractice().practice
    asked = []
    for bot, sets in ((mine, 1), (second, 2), (mine, 3)):
        asked.append(calls.Practice(bot=bot, against=other, rules=RULES, sets=sets).practice.id)
        arena.play(over(calls, asked[-1]))
    newest_first = asked[::-1]
    found = calls.ListPractice().practice
    assert [one.id for one in found] == newest_first
    assert [(one.bot, one.sets, one.booked) for one in found] == [(mine, 3, 3), (second, 2, 2), (mine, 1, 1)]
    assert {one.state for one in found} == {job_pb2.JOB_STATE_OVER}
    assert all(0 < one.created_at.ToMilliseconds() <= one.ended_at.ToMilliseconds() for one in found)
    assert (found[0].score, found[0].faults) == (0.0, 6)
    assert found[0].low <= found[0].score <= found[0].high
    assert list_pages(calls, 2) == [newest_first[:2], newest_first[2:]]
    assert [one.id for one in calls.ListPractice(bot_name=second).practice] == [asked[1]]
    stranger, _ = arena.author()
    assert not arena.calls(stranger.token).ListPractice(bot_name=mine).practice


def test_a_page_of_practice_begins_where_an_earlier_one_ended(arena, author):
    calls, _, _ = author
    for token in ("x", "3", "bot_" + "0" * 26, "practice_" + "0" * 25, "practice_\x00" + "0" * 25):
        with refused(BadRequest, "is not the token of a page"):
            calls.ListPractice(page_token=token)


def test_practice_that_the_core_refuses_is_listed_as_over(arena, author, monkeypatch):
    calls, mine, _ = author

    async def refuse(core, contest_id, orders):
        raise NotValidated("It was suspended meanwhile.")

    monkeypatch.setattr(Core, "create_jobs", refuse)
    asked = calls.Practice(bot=mine, against=arena.field("first")[0], rules=RULES, sets=1).practice
    until(lambda: calls.ListPractice().practice[0].state == job_pb2.JOB_STATE_OVER)
    (found,) = calls.ListPractice().practice
    assert (found.id, found.booked, found.words) == (asked.id, 0, "It was suspended meanwhile.")
    assert found.ended_at.ToMilliseconds() >= found.created_at.ToMilliseconds()


@pytest.mark.long
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
