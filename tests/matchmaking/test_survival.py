"""Live play and ladders survive a Redis that forgets, a clock that is set back, and whoever is gone."""

import itertools
import random
from contextlib import contextmanager, suppress
from dataclasses import replace

import grpc
import pytest
import redis

from bench.support.patience import Deadline
from maumau.client.seek import Wish
from maumau.errors import UnknownSeek
from maumau.v1 import engine_pb2, engine_pb2_grpc, job_pb2
from services.engine.app import bind as bind_engine
from services.matchmaking.live import matcher
from services.matchmaking.store.live_tables import seek as seeking
from services.matchmaking.upkeep import keeper
from services.shared.process.server import Server
from tests.matchmaking.test_seek import Author
from tests.support.arenas.engine import Calls
from tests.support.arenas.seat import Player, Seat
from tests.support.arenas.tournament import WORKER
from tests.support.waiting import free_port, until

HOUR, OVER = 3_600_000, job_pb2.JOB_STATE_OVER
RATED = Wish(rules="prsi", bot_name="mine", rated=True)


@pytest.fixture
def ada(arena):
    return Author(arena)


@pytest.fixture
def bob(arena):
    return Author(arena)


@pytest.fixture
def store(arena):
    with redis.Redis.from_url(arena.settings.redis_url, decode_responses=True) as client:
        yield client


def meet(ada, bob, wish=RATED):
    """Seat both at a new table."""
    waiting = ada.seeks.seek(wish)
    next(waiting)
    other = next(told for told in bob.seeks.seek(wish) if told.token)
    return next(told for told in waiting if told.token), other


def ratings(author):
    return [(line.account_name, line.elo, line.games) for line in author.seeks.ratings("prsi").ratings]


@pytest.mark.long
def test_a_redis_that_forgets_voids_tables_loses_seeks_and_changes_no_rating(arena, ada, bob, store):
    players = [Player([ada.engine], told.token) for told in meet(ada, bob)]
    assert all(player.ended() for player in players)
    until(lambda: ada.name in [name for name, *_ in ratings(ada)])
    ladder = arena.ladder(*arena.field("first", "random"))
    arena.play(lambda: arena.lines(ladder)[0].sets >= 20)
    before, sets = ratings(ada), arena.lines(ladder)[0].sets
    seats = [Seat(ada.engine, told.token) for told in meet(ada, bob)]
    for seat in seats:
        seat.wait("line")
    waiting = ada.seeks.seek(Wish(rules="mau_mau"))
    next(waiting)
    store.flushall()
    assert [seat.wait("voided").words for seat in seats] == ["the arena has lost this table"] * 2
    with pytest.raises(UnknownSeek, match="seek again"):
        list(waiting)
    assert ratings(ada) == before
    arena.play(lambda: arena.lines(ladder)[0].sets >= sets + 20)
    arena.leave(ladder)
    players = [Player([ada.engine], told.token) for told in meet(ada, bob)]
    assert all(player.ended() for player in players)
    games = {name: count for name, _, count in before}[ada.name]
    until(lambda: (ada.name, games + 1) in [(name, count) for name, _, count in ratings(ada)])


@contextmanager
def engine_without_matchmaking(arena):
    """Yield the address of an engine replica whose results reach nobody, as if it died after each deal."""
    nobody = f"127.0.0.1:{free_port()}"
    settings = replace(arena.settings, listen=f"127.0.0.1:{free_port()}", matchmaking_address=nobody)

    async def started():
        server = Server("test", settings)
        await bind_engine(server, settings)
        await server.start()
        return server

    server = arena.loop.run(started())
    try:
        yield settings.listen
    finally:
        arena.loop.run(server.stop(0.1))


@pytest.mark.long
def test_a_result_that_nobody_handed_over_is_handed_over_by_another_replica_once(arena, ada, bob, store):
    with engine_without_matchmaking(arena) as address:
        engine = Calls(address, ada.client.token, engine_pb2, engine_pb2_grpc.EngineServiceStub)
        mine, other = meet(ada, bob)
        players = [Player([engine], told.token) for told in (mine, other)]
        assert all(player.ended() for player in players)
    game = until(lambda: next(iter(ada.seeks.games(account_name=ada.name)), None))
    assert game.table_id == mine.table_id
    until(lambda: not store.zcard("maumau:tables:{all}:unreported"))
    assert [one.table_id for one in ada.seeks.games(account_name=ada.name)] == [mine.table_id]
    assert [count for name, _, count in ratings(ada) if name == ada.name] == [1]


def test_a_clock_that_is_set_back_an_hour_keeps_no_seek_for_an_hour(arena, ada, bob, store, monkeypatch):
    """As the seeks see it, the clock was an hour ahead until now."""
    monkeypatch.setattr(seeking, "KEPT", 1000)
    here, gone = Wish(rules="schweizer"), Wish(rules="schweizer", bank=30)
    waiting, vanished = ada.seeks.seek(here), ada.calls.Seek(**request(gone))
    ids = [next(waiting).seek_id, next(vanished).seek_id]
    vanished.cancel()
    until(lambda: store.hget(seeking.build_key(ids[1]), "here") == "0")
    with store.pipeline() as together:
        for seek_id in ids:
            for field in ("since", "seen"):
                together.hincrby(seeking.build_key(seek_id), field, HOUR)
        together.execute()
    assert 0 <= next(told for told in waiting).waited < HOUR / 1000
    until(lambda: not store.exists(seeking.build_key(ids[1])))
    other = next(told for told in bob.seeks.seek(here) if told.token)
    assert next(told for told in waiting if told.token).table_id == other.table_id


def request(wish):
    return {"rules": {"name": wish.rules}, "time": {"bank_ms": round(1000 * wish.bank)}}


def vanish(streams, looks):
    """Reads some messages of each seek, then nobody is there any more; how many had been seated."""
    seated = 0
    for stream, count in zip(streams, looks, strict=True):
        with suppress(grpc.RpcError):  # rated, while the one before is still thought to be there
            seated += [next(stream) for _ in range(count)][-1].HasField("seated")
    for stream in streams:
        stream.cancel()
    return seated


@pytest.mark.long
@pytest.mark.parametrize("rounds", [12, 200])
def test_who_seeks_and_vanishes_in_a_loop_leaves_nothing_behind(arena, store, monkeypatch, rounds):
    for name, value in (("KEPT", 1000), ("HERE", 1000), ("STALLED", 1000), ("TTL", 3)):
        monkeypatch.setattr(seeking, name, value)
    monkeypatch.setattr(matcher, "JOIN", 1000)
    authors, chance = [Author(arena) for _ in range(5)], random.Random(11)
    others, games, seated = set(left_over(store, [])), len(authors[0].seeks.games(most=1000)), 0
    deadline, numbers = Deadline(60), itertools.count()
    while (number := next(numbers)) < rounds or not (seated or deadline.has_passed()):
        streams = [
            author.calls.Seek(rules={"name": "prsi"}, bot_name="mine", rated=number % 2 == 0)
            for author in chance.sample(authors, 3)
        ]
        seated += vanish(streams, [chance.randint(1, 2) for _ in streams])
    assert seated  # some vanish from their table
    ids = [author.client.who().account_id for author in authors]
    until(lambda: set(left_over(store, ids)) <= others, 30)
    assert len(authors[0].seeks.games(most=1000)) == games
    assert all(told.token for told in meet(*authors[:2]))  # and they still meet


def left_over(store, accounts):
    """Keys of seeks and seats, of accounts that seek, and open tables."""
    patterns = ["maumau:seek:*", "maumau:seat:*", *(f"maumau:account:{{{one}}}:*" for one in accounts)]
    keys = [key for pattern in patterns for key in store.scan_iter(pattern)]
    return keys + store.zrange("maumau:tables:{all}:open", 0, -1)


@pytest.mark.long
@pytest.mark.parametrize("how", ["deleted", "suspended"])
def test_a_bot_that_is_gone_while_it_is_paired_costs_the_ladder_nothing(arena, monkeypatch, how):
    monkeypatch.setattr(keeper, "LOOK", 0)
    gone, others = arena.bot("first"), arena.field("first", "random")
    ladder = arena.ladder(gone, *others)
    until(lambda: any(one.state != OVER for one in arena.pairings(ladder, bot_name=gone)))
    if how == "deleted":
        arena.admin.delete_bot(gone)
    else:
        version = next(line.version_id for line in arena.lines(ladder) if line.bot_name == gone)
        assert arena.registry(WORKER).SuspendVersion(version_id=version, words="it stalls").suspended
    until(lambda: [line.words for line in arena.lines(ladder) if line.bot_name == gone] != [""])
    arena.play(lambda: all(one.state == OVER for one in arena.pairings(ladder, bot_name=gone)))
    made = len(arena.pairings(ladder, bot_name=gone))
    arena.play(lambda: all(line.sets >= 60 for line in arena.lines(ladder) if line.bot_name in others))
    assert len(arena.pairings(ladder, bot_name=gone)) == made
    booked = sum(one.booked for one in arena.pairings(ladder, bot_name=gone))
    assert [line.sets for line in arena.lines(ladder) if line.bot_name == gone] == [booked]
    arena.leave(ladder)
