"""Nothing of a guest is kept for more than a day: each key that names one, or is of a guest's table, ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis

from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.engine.store import DAY, TTL
from tests.play.conftest import Guest, find_hidden
from tests.support.arenas.engine import Calls
from tests.web.visitor import READER

GUEST, NETWORK = "ab" * 16, "cd" * 16


@pytest.fixture
def keys(arena) -> Iterator[Any]:
    """Yield a connection to the arena's keys."""
    with redis.Redis.from_url(arena.settings.redis_url, decode_responses=True) as client:
        yield client


def list_left(keys, *words: str) -> dict[str, int]:
    """Return the seconds left of each key whose name has one of these words."""
    found = [key for key in keys.scan_iter("maumau:*", count=1000) if any(word in key for word in words)]
    return {key: keys.ttl(key) for key in found}


@pytest.mark.long
def test_a_guest_s_table_is_kept_for_a_day_after_its_end(guest: Guest, keys) -> None:
    guest.play_to_the_end(guest.deal("prsi_quick"))
    table_id = guest.at.rpartition("/")[2]
    left = list_left(keys, table_id)
    assert f"maumau:table:{{{table_id}}}:log" in left
    assert [key for key, seconds in left.items() if not 0 < seconds <= DAY] == []


def test_what_a_guest_has_is_counted_for_a_day(arena, keys) -> None:
    page = Calls(arena.address, READER, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = page.CreateTable(rules={"name": "prsi"}, seats=2, guest=GUEST, network=NETWORK)
    left = list_left(keys, GUEST, NETWORK, made.table.id)
    assert len(left) >= 3
    assert [key for key, seconds in left.items() if not 0 < seconds <= DAY] == []
    page.CloseTable(table_id=made.table.id, words="the player left")


def test_a_friend_without_an_account_makes_the_table_go_after_a_day(arena, keys) -> None:
    client, _ = arena.author()
    author = Calls(arena.address, client.token, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    page = Calls(arena.address, READER, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = author.CreateTable(rules={"name": "prsi"}, seats=2)
    hello = engine_pb2.PlayHello(seat_token=made.seat_tokens[1], claim=GUEST)
    next(page.stream("Play", iter([engine_pb2.PlayRequest(hello=hello)])))
    name = f"maumau:table:{{{made.table.id}}}"
    assert keys.ttl(name) > DAY
    author.CloseTable(table_id=made.table.id, words="the player left")
    assert 0 < keys.ttl(name) <= DAY < TTL


def test_a_table_that_is_over_goes_when_its_day_is_past(guest: Guest, keys) -> None:
    page = guest.deal("prsi_quick")
    guest.post(f"{guest.at}/leave", {"form_token": find_hidden(page)["form_token"]})
    table_id = guest.at.rpartition("/")[2]
    for key, seconds in list_left(keys, table_id).items():
        keys.pexpire(key, 1000 * (seconds - DAY) + 1)  # the clock a day on
    assert guest.get(f"/tables/{table_id}").status == 404
    assert list_left(keys, table_id) == {}
