"""Bots that have left play no more, new ones play next, and coming and going moves no other."""

import pytest
from sqlalchemy import text

from maumau.contest.ladder.leaderboard import rank_players
from maumau.contest.ladder.pairing import Pair
from maumau.errors import QuotaReached
from maumau.v1 import job_pb2
from services.matchmaking.models import Ladder
from services.matchmaking.store.joining import MOST_JOINS
from services.matchmaking.store.player import ActiveVersion
from services.matchmaking.upkeep import keeper
from services.matchmaking.upkeep.room import ROOM_PAUSE, Rooms
from services.matchmaking.upkeep.take_back import GONE, MADE_ROOM
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


def play_first_queue(arena, name):
    """Play what a ladder pairs at first, and wait for its next pairings."""
    until(lambda: len(list_open(arena, name)) >= keeper.MIN_PAIRINGS)
    report_all(arena, name)
    until(lambda: len(list_open(arena, name)) >= keeper.MIN_PAIRINGS)


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
def test_nothing_begins_with_a_replaced_version_once_another_one_is_active(arena):
    """Though the keeper looks at versions every ten seconds. What has begun ends and counts."""
    bot, other = arena.bot("first"), arena.field("random")[0]
    name = arena.ladder(bot, other)
    until(lambda: len(list_open(arena, name, bot)) >= keeper.MIN_PAIRINGS)
    begun = until(lambda: claim_here(arena, name))
    version = arena.admin.submit(bot, make_program("random")).version
    arena.pass_validation(version.id, ["mau_mau"])
    arena.admin.activate(version.id)
    hashes = {one.sha256 for order in claim_all(arena, name) for one in order.entrants if one.name == bot}
    assert hashes == {version.sha256}
    arena.worker.report(begun)
    until(
        lambda: [one.id.endswith(f".{begun.label}") for one in arena.pairings(name) if one.booked] == [True]
    )
    gone = f"Taken back before it began: this version of {bot} is not active any more."
    assert {one.words for one in arena.pairings(name) if one.words} <= {gone, GONE}
    arena.leave(name)


@pytest.mark.long
def test_a_newcomer_is_next_without_a_look_of_the_keeper(arena, monkeypatch):
    """However short the blocks are."""
    first, second, third = arena.field("first", "random", "crash")
    name = arena.ladder(first, second)
    play_first_queue(arena, name)
    with monkeypatch.context() as patch:
        patch.setattr(keeper.Keeper, "_keep_all", look_at_nothing)
        arena.calls().JoinLadder(ladder=name, bot_name=third)
        taken = []
        until(
            lambda: (order := claim_here(arena, name)) and (taken.append(order) or third in names_of(order))
        )
    assert len(taken) <= 3  # two of others before it
    arena.leave(name)


@pytest.mark.long
def test_a_newcomer_that_joins_at_a_replica_that_does_not_lead_is_next(arena):
    """The one that leads looks at its ladders once in a second: blocks may be shorter than that."""
    first, second, third = arena.field("first", "random", "crash")
    name = arena.ladder(first, second)
    play_first_queue(arena, name)
    with arena.second_matchmaking() as calls:
        calls.JoinLadder(ladder=name, bot_name=third)
        taken = []
        until(
            lambda: (order := claim_here(arena, name)) and (taken.append(order) or third in names_of(order))
        )
    assert len(taken) <= 3  # two of others before it
    arena.leave(name)


async def look_at_nothing(self):
    """Stand in for the keeper's look."""


@pytest.mark.long
def test_a_newcomer_is_in_the_next_block_that_a_worker_takes(arena):
    first, second, third = arena.field("first", "random", "crash")
    name = arena.ladder(first, second)
    play_first_queue(arena, name)
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


@pytest.mark.parametrize("news", [[], ["over"]])
def test_a_newcomer_whose_pairing_is_taken_back_is_next_again(shelf, news):
    """Also if the core's news of the end comes first. `a` has other pairings, and stays behind."""
    newcomers = pair_newcomer(shelf)
    for state in news:
        shelf.ladders.note_job("e", 4, state, "")
    shelf.ladders.take_back("e", [4], GONE)
    assert newcomers() == (1, 2, 3)
    assert shelf.ladders.find_pairing("x", 1, 4)[0].words == GONE


def test_a_newcomer_whose_opponent_was_replaced_is_next_again(shelf):
    newcomers = pair_newcomer(shelf)
    shelf.ladders.note_job("e", 4, "over", "not active any more")
    assert newcomers() == (1, 2, 3)


def test_a_bot_that_has_played_is_no_newcomer_any_more(shelf):
    newcomers = pair_newcomer(shelf)
    shelf.ladders.note_job("e", 4, "over", "")
    shelf.book(1, BEGIN + 3, "4")
    shelf.ladders.take_back("e", [4], GONE)
    assert newcomers() == (1, 2)
    assert shelf.ladders.find_pairing("x", 1, 4)[0].words == ""


def pair_newcomer(shelf):
    """Pair a newcomer, player 3, with `a`; return a function that lists the newcomers."""
    join(shelf, "d", "d", BEGIN + 1)
    shelf.ladders.add_pairings(shelf.ladders.last_epoch("x"), [Pair(3, 0, "groups")], [20], BEGIN + 2)

    def list_newcomers():
        return shelf.ladders.read_outlook("x").newcomers

    assert list_newcomers() == (1, 2)
    return list_newcomers


def test_nobody_is_paired_who_left_while_the_pairs_were_chosen(shelf):
    leave(shelf, "c")
    pairs = [Pair(0, 2, "new"), Pair(0, 1, "new")]
    shelf.ladders.add_pairings(shelf.ladders.last_epoch("x"), pairs, [7, 8], BEGIN + 2)
    (added,) = [one for one, *_ in shelf.ladders.list_pairings("x", None, None, 10) if one.label > 3]
    assert (added.first, added.second, added.sets, added.label) == (0, 1, 8, 4)


def test_pairings_that_were_taken_back_on_their_way_to_the_queue_are_named(shelf):
    with shelf.database.write() as session:
        session.execute(text("UPDATE pairing SET state = 'new'"))
    shelf.ladders.take_back("e", [2], GONE)
    assert shelf.ladders.mark_queued("e", [1, 2]) == [2]
    states = [one.state for one, *_ in shelf.ladders.list_pairings("x", None, None, 10)]
    assert states == ["new", "over", "open"]  # of the pairings 3, 2 and 1


def test_room_is_made_once_for_each_newcomer_and_after_a_pause():
    rooms = Rooms()
    assert not rooms.claim_room("x", (), 0)
    assert rooms.claim_room("x", (7,), 0)
    rooms.note_room("x", 0)
    assert not rooms.claim_room("x", (7, 8), ROOM_PAUSE - 1)
    assert rooms.claim_room("y", (7, 8), ROOM_PAUSE - 1)
    assert rooms.claim_room("x", (7, 8), ROOM_PAUSE)
    assert not rooms.claim_room("x", (7, 8), 2 * ROOM_PAUSE)  # perhaps nobody may meet them


def test_room_is_made_again_at_once_for_a_newcomer_whose_pairing_was_taken_back():
    rooms = Rooms()
    assert rooms.claim_room("x", (7,), 0)
    rooms.note_room("x", 0)
    rooms.note_pairings("x", {1, 7})
    assert not rooms.claim_room("x", (), 1)
    assert rooms.claim_room("x", (7,), 2)
    assert not rooms.claim_room("x", (7,), 3)
