"""Survival of tables: replicas that serve one together, that end in the middle, a Redis that forgets."""

import threading

import pytest
import redis

from maumau.errors import DatabaseUnavailable, UnknownTable
from maumau.v1 import engine_pb2 as pb
from tests.support.arenas.engine import ADMIN, make_table
from tests.support.arenas.replica import check_told_once, table_key
from tests.support.arenas.seat import Player, Seat, first_action
from tests.support.waiting import until

HOUR = 3_600_000


@pytest.fixture(scope="module")
def admin(arena):
    return arena.engine(ADMIN)


@pytest.mark.long
def test_two_replicas_serve_one_table_at_the_same_time(arena, admin):
    with arena.replica() as address:
        engines = [arena.engine(), arena.engine(address=address)]
        made = [
            make_table(admin, name, 3, {"window_ms": 60_000}) for name in ("schweizer", "prsi", "tschau_sepp")
        ]
        playing = [
            (table, [Player([engines[seat % 2]], token) for seat, token in enumerate(tokens)])
            for table, tokens in made
        ]
        for table, players in playing:
            assert all(player.ended() for player in players)
            assert not any(player.errors or player.refused for player in players)
            check_told_once(admin, table, players)


def test_a_replica_that_ends_costs_its_seats_a_reconnect_and_nothing_else(arena, admin):
    home = arena.engine()
    with arena.replica() as address:
        other = arena.engine(address=address)
        table, tokens = make_table(admin, "mau_mau", 3)
        players = [Player([other, home], token) for token in tokens[:2]]
        waiting = Seat(home, tokens[2])  # keeps the deal from ending before the replica does
        asked = waiting.question()
    waiting.answer(first_action(asked))
    waiting.wait("taken")
    cursor = waiting.cursor
    waiting.leave()
    third = Seat(home, tokens[2], after=cursor)
    while (told := third.question()) is not None:
        third.answer(first_action(told))
    assert all(player.ended() for player in players)
    assert all(player.comings == 2 for player in players)
    check_told_once(admin, table, players)


def test_who_comes_back_is_told_what_happened_since_and_asked_again(arena, admin):
    engine = arena.engine()
    _, tokens = make_table(admin)
    seats = [Seat(engine, token) for token in tokens]
    asked = seats[0].question()
    cursor = seats[0].cursor
    seats[0].leave()
    again = Seat(engine, tokens[0], after=cursor)
    repeated = again.question()
    assert repeated["events"] == []
    assert {**repeated, "events": 0, "bank_ms": 0} == {**asked, "events": 0, "bank_ms": 0}
    fresh = Seat(engine, tokens[0])
    told = fresh.question()
    assert told["events"] == asked["events"]
    for seat in (*seats, again, fresh):
        seat.leave()


def test_a_redis_that_forgets_makes_tables_void_and_players_are_told(arena, admin):
    engine = arena.engine()
    table, tokens = make_table(admin)
    players = [Player([engine], token, choose=lambda _: "") for token in tokens]
    until(lambda: admin.GetTable(table_id=table.id).table.state == pb.TABLE_STATE_PLAYING)
    with redis.Redis.from_url(admin.redis_url) as client:
        client.flushall()
    for player in players:
        player.join(60)
        assert player.void == "the arena has lost this table"
    with pytest.raises(UnknownTable):
        admin.GetTable(table_id=table.id)
    table, tokens = make_table(admin)
    assert all(player.ended() for player in [Player([engine], token) for token in tokens])


def test_a_reply_that_redis_does_not_take_is_sent_again_and_not_refused(arena, admin):
    engine, asked, answers = arena.engine(), threading.Event(), threading.Event()

    def think(told):
        asked.set()
        answers.wait()
        return first_action(told)

    table, tokens = make_table(admin)
    players = [Player([engine], token, think) for token in tokens]
    until(asked.is_set)
    with redis.Redis.from_url(admin.redis_url) as client:
        client.config_set("min-replicas-to-write", 1)  # it refuses writes as it does on a full disk
        try:
            answers.set()
            until(lambda: any(player.errors for player in players))
        finally:
            client.config_set("min-replicas-to-write", 0)
    assert all(player.ended() for player in players)
    assert {type(error) for player in players for error in player.errors} == {DatabaseUnavailable}
    assert not any(player.refused for player in players)
    check_told_once(admin, table, players)


def test_a_clock_that_is_set_back_gives_nobody_an_hour(arena, admin):
    """As the table sees it, the clock was an hour ahead until now."""
    engine = arena.engine()
    table, tokens = make_table(admin, time={"bank_ms": 1500, "increment_ms": 0})
    asleep = Seat(engine, tokens[0])
    other = Player([engine], tokens[1])
    asleep.question()
    with redis.Redis.from_url(admin.redis_url) as client, client.pipeline() as together:
        for field in ("began", "deadline", "at"):
            together.hincrby(table_key(table.id), field, HOUR)
        together.zincrby("maumau:tables:{all}:open", HOUR, table.id)
        together.execute()
    assert other.ended()["places"] == [2, 1]
    told = admin.GetTable(table_id=table.id).table
    assert "forfeit A time" in told.record
    assert told.clocks_ms[1] > 0
    asleep.leave()


def test_clocks_are_right_to_a_tenth_of_a_second(arena, admin):
    """By Redis' own clock: what a seat has left is its bank less the time from question to answer."""
    engine = arena.engine()
    table, tokens = make_table(admin, time={"bank_ms": 60_000, "increment_ms": 0})
    seats = [Seat(engine, token) for token in tokens]
    asked = seats[0].question()
    with redis.Redis.from_url(admin.redis_url, decode_responses=True) as client:
        began = int(client.hget(table_key(table.id), "began"))
        until(lambda: _now(client) - began > 300)
        before = _now(client)
        seats[0].answer(first_action(asked))
        seats[0].wait("taken")
        after = _now(client)
    left = admin.GetTable(table_id=table.id).table.clocks_ms[0]
    turn = admin.GetTable(table_id=table.id).table.turn
    if turn == 1:  # else it runs again
        assert 60_000 - (after - began) - 100 <= left <= 60_000 - (before - began) + 100
    for seat in seats:
        seat.leave()


def _now(client):
    seconds, micros = client.time()
    return seconds * 1000 + micros // 1000
