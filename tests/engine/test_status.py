"""The engine service's status: live tables by state, and results not yet reported to matchmaking."""

from datetime import UTC, datetime, timedelta

import pytest
import redis

from services.engine.status import tell_status
from services.engine.store import OPEN, UNREPORTED, TableStore
from services.shared.store import redis as connections
from tests.support.arenas.engine import ADMIN, make_table
from tests.support.arenas.seat import Player
from tests.support.waiting import until


@pytest.fixture
def store(loop, arena):
    url = arena.settings.redis_url

    async def connect():
        return TableStore(connections.connect_aio(url), connections.connect_reader(url))

    store = loop.run(connect())
    yield store
    loop.run(store.close())


def read(loop, store, state):
    (found,) = [one for one in loop.run(tell_status(store)()).states if one.state == state]
    return found


def test_a_table_waits_then_is_over_and_told_no_more(loop, arena, store):
    admin = arena.engine(ADMIN)
    table, tokens = make_table(admin, "mau_mau", 2)
    assert table.id in loop.run(store.list_open())["waiting"]
    found = read(loop, store, "waiting")
    assert found.count >= 1
    assert found.oldest is not None
    assert found.bound is None
    players = [Player([admin], token) for token in tokens]
    assert all(player.ended() for player in players)
    until(lambda: not any(table.id in ids for ids in loop.run(store.list_open()).values()))


def test_the_age_of_a_state_is_that_of_its_oldest_table(loop, arena, store):
    admin = arena.engine(ADMIN)
    first, _ = make_table(admin, "mau_mau", 2)
    second, _ = make_table(admin, "mau_mau", 2)
    waiting = loop.run(store.list_open())["waiting"]
    assert waiting.index(first.id) < waiting.index(second.id)
    youngest = loop.run(store.find_age(second.id))
    assert loop.run(store.find_age(first.id)) >= youngest
    assert read(loop, store, "waiting").oldest >= youngest


def test_the_gauge_says_the_same(loop, arena, store):
    admin = arena.engine(ADMIN)
    make_table(admin, "mau_mau", 2)

    def is_same():
        gauge = arena.server.registry.get_sample_value("maumau_engine_tables", {"state": "waiting"})
        return gauge == read(loop, store, "waiting").count > 0

    until(is_same)


def test_a_table_that_is_listed_and_gone_has_no_age(loop, arena, store):
    with redis.Redis.from_url(arena.settings.redis_url) as client:
        client.zadd(OPEN, {"table_gone": 10**15})
        try:
            assert loop.run(store.find_age("table_gone")) is None
            assert "table_gone" not in loop.run(store.list_open()).get("waiting", [])
        finally:
            client.zrem(OPEN, "table_gone")


def test_a_result_that_is_not_kept_is_told_with_its_age(loop, arena, store):
    with redis.Redis.from_url(arena.settings.redis_url) as client:
        seconds, micros = client.time()
        now = seconds * 1000 + micros // 1000
        client.zadd(UNREPORTED, {"table_over": now - 3_600_000})
        found = read(loop, store, "unreported")
        client.zrem(UNREPORTED, "table_over")
    assert found.count >= 1
    assert found.oldest >= 3_600_000


def test_an_attempt_at_the_deal_of_a_day_counts_still_after_its_end_by_the_clock_of_redis(loop, store):
    day = datetime.now(UTC).date() - timedelta(days=1)
    held = [loop.run(store.hold_attempt(day, "ada", table)) for table in ("table_1", "table_2")]
    assert held == ["", "table_1"]
