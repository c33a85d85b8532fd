"""Who is gone plays no more, who is new plays next, and coming and going moves nobody."""

import pytest
from sqlalchemy import text

from maumau.contest.ladder.leaderboard import rank_players
from maumau.errors import QuotaReached
from maumau.v1 import job_pb2
from services.matchmaking import keeper
from services.matchmaking.models import Ladder
from services.matchmaking.store.joining import MOST_JOINS
from services.matchmaking.store.player import ActiveVersion
from services.matchmaking.take_back import GONE, MADE_ROOM
from services.shared.base.clock import HOUR
from tests.matchmaking.test_history import BEGIN, Shelf
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import make_program
from tests.support.waiting import until


@pytest.fixture
def shelf(database_url):
    shelf = Shelf(database_url)
    yield shelf
    shelf.database.close()


def list_open(arena, name, bot=""):
    """Return the pairings that are not over, of this bot."""
    found = [one for one in arena.pairings(name) if one.state != job_pb2.JOB_STATE_OVER]
    return [one for one in found if not bot or bot in {one.first, one.second}]


def claim_here(arena, name):
    """Return an order of this ladder, None if there is none yet; play other ladders' blocks."""
    while order := arena.worker.claim():
        if order.contest_id in {one.contest_id for one in arena.calls().ListEpochs(ladder=name).epochs}:
            return order
        arena.worker.report(order)
    return None


def claim_all(arena, name):
    """Return the orders of all blocks of this ladder that wait, one at least."""
    found = [until(lambda: claim_here(arena, name))]
    while order := claim_here(arena, name):
        found.append(order)
    return found


def report_all(arena, name):
    """Play all blocks that wait, and wait until what comes of them is known."""
    orders = claim_all(arena, name)
    for order in orders:
        arena.worker.report(order)
    ends = {f".{order.label}" for order in orders}
    until(lambda: not any(one.id.endswith(end) for one in list_open(arena, name) for end in ends))


def names_of(order):
    return {one.name for one in order.entrants}


@pytest.mark.long
def test_who_has_left_plays_nothing_that_has_not_begun(arena):
    first, second, third = arena.field("first", "random", "crash")
    name = arena.ladder(first, second, third)
    until(lambda: list_open(arena, name, third))
    arena.calls().LeaveLadder(ladder=name, bot_name=third)
    until(lambda: not list_open(arena, name, third))
    until(lambda: list_open(arena, name))
    assert all(third not in names_of(order) for order in claim_all(arena, name))
    taken = [one for one in arena.pairings(name) if third in {one.first, one.second}]
    assert {(one.booked, one.words) for one in taken} == {(0, GONE)}
    arena.leave(name)


@pytest.mark.long
def test_what_has_begun_ends_and_counts_after_its_bot_has_left(arena):
    first, second = arena.field("first", "random")
    name = arena.ladder(first, second)
    order = until(lambda: claim_here(arena, name))
    arena.leave(name)
    until(lambda: len(list_open(arena, name)) == 1)
    arena.worker.report(order)
    until(lambda: not list_open(arena, name))
    (booked,) = [one for one in arena.pairings(name) if one.booked]
    assert booked.booked == booked.sets
    assert booked.id.endswith(f".{order.label}")


@pytest.mark.long
def test_a_replaced_version_plays_nothing_that_has_not_begun(arena, monkeypatch):
    monkeypatch.setattr(keeper, "LOOK", 0)
    bot, other = arena.bot("first"), arena.field("random")[0]
    name = arena.ladder(bot, other)
    before = until(lambda: list_open(arena, name, bot))
    version = arena.admin.submit(bot, make_program("random")).version
    arena.pass_validation(version.id, ["mau_mau"])
    arena.admin.activate(version.id)
    old = {one.id for one in before}
    until(lambda: (found := list_open(arena, name, bot)) and old.isdisjoint(one.id for one in found))
    hashes = {one.sha256 for order in claim_all(arena, name) for one in order.entrants if one.name == bot}
    assert hashes == {version.sha256}
    arena.leave(name)


@pytest.mark.long
def test_a_newcomer_is_in_the_next_block_that_a_worker_takes(arena):
    first, second, third = arena.field("first", "random", "crash")
    name = arena.ladder(first, second)
    until(lambda: len(list_open(arena, name)) >= keeper.MIN_PAIRINGS)
    report_all(arena, name)
    until(lambda: len(list_open(arena, name)) >= keeper.MIN_PAIRINGS)
    arena.join(name, third)
    until(lambda: list_open(arena, name, third))
    assert third in names_of(until(lambda: claim_here(arena, name)))
    assert any(one.words == MADE_ROOM for one in arena.pairings(name))
    arena.leave(name)


@pytest.mark.long
def test_a_hundred_comings_and_goings_change_no_line(arena):
    """Of bots that do not play meanwhile; nobody else does either."""
    name = arena.ladder(*arena.field("first", "random", "crash"))
    arena.play(lambda: min(line.sets for line in arena.lines(name)) >= 20)
    guests = [arena.bot("first") for _ in range(5)]
    report_all(arena, name)
    calls, before = arena.calls(), list(arena.lines(name))
    for _ in range(MOST_JOINS):
        for guest in guests:
            calls.JoinLadder(ladder=name, bot_name=guest)
        assert list(arena.lines(name))[: len(before)] == before
        for guest in guests:
            calls.LeaveLadder(ladder=name, bot_name=guest)
    assert list(arena.lines(name)) == before
    with refused(QuotaReached, "20 times within an hour"):
        calls.JoinLadder(ladder=name, bot_name=guests[0])
    arena.leave(name)


def join(shelf, bot, author, at=BEGIN):
    shelf.ladders.join_ladder("x", bot, ActiveVersion(f"version_{bot}", author), at, pinned=None)


def test_a_ladder_takes_two_bots_of_one_author(shelf):
    """`a` is on it already."""
    join(shelf, "a2", "a")
    with pytest.raises(QuotaReached, match="takes 2 bots of one author, and has a, a2 already"):
        join(shelf, "a3", "a")
    join(shelf, "a2", "a")  # joined before
    for bot in ("house-1", "house-2", "house-3"):
        join(shelf, bot, "house")  # each of them is an author of its own


def test_a_ladder_takes_as_many_bots_of_an_author_as_its_admin_says(shelf):
    same = {
        "rules": "mau_mau",
        "options": "{}",
        "rules_hash": "h",
        "score": "win",
        "deal_ms": 100,
        "memory": 512,
    }
    shelf.ladders.create_ladder(Ladder(name="x", **same), author_bots=1)
    with pytest.raises(QuotaReached, match="takes one bot of one author, and has a already"):
        join(shelf, "a2", "a")
    shelf.ladders.create_ladder(Ladder(name="x", **same))  # says nothing of it
    with pytest.raises(QuotaReached):
        join(shelf, "a2", "a")


def test_a_bot_joins_twenty_times_within_an_hour(shelf):
    leave(shelf, "c")
    for at in (BEGIN, BEGIN + HOUR + 1):
        for _ in range(MOST_JOINS - (at == BEGIN)):  # the first one was its first
            join(shelf, "c", "c", at)
            leave(shelf, "c")
        with pytest.raises(QuotaReached, match="joined the ladder x 20 times within an hour"):
            join(shelf, "c", "c", at)


def test_the_bounds_are_of_the_present_owner(shelf):
    """`z` was a's, has left, and is b's by now, who has two bots there."""
    join(shelf, "z", "a")
    leave(shelf, "z")
    join(shelf, "b2", "b")
    with pytest.raises(QuotaReached, match="has b, b2 already"):
        join(shelf, "z", "b")
    join(shelf, "y", "c")
    leave(shelf, "y")
    for bot in ("c2",):
        join(shelf, bot, "c")
    join(shelf, "y", "d")


def leave(shelf, bot):
    with shelf.database.write() as session:
        session.execute(text("UPDATE member SET here = false WHERE bot_name = :bot"), {"bot": bot})


def test_a_pinned_bot_holds_the_scale_with_all_its_versions(shelf):
    """`a` is pinned: its next version, which has not played, moves nobody's line."""
    shelf.book(1, BEGIN + 1, "1", total=60)
    shelf.book(2, BEGIN + 2, "2", total=30)

    def rank():
        pool = shelf.ladders.read_pool("x")
        return rank_players(len(pool.players), pool.rated, range(3), pool.anchors, pool.fit)[0]

    before = rank()
    shelf.ladders.note_version("x", "a", ActiveVersion("version_a2", "a"), "", BEGIN + 3)
    assert shelf.ladders.read_pool("x").anchors == [0, 3]
    assert rank() == before
