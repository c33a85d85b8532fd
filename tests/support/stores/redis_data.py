"""An arena's data in Redis, for tests of data that one server leaves for another one."""

from __future__ import annotations

from typing import Any


def fill_store(client: Any) -> None:
    """Write every kind of value that an arena keeps in Redis, in the forms of small and of big ones."""
    for number in range(300):
        client.rpush("list", f"value {number}" * 9)
        client.zadd("sorted", {f"member {number}": number / 7})
        client.hset("hash", f"field {number}", "x" * 80)
        client.sadd("set", f"member {number}")
        client.xadd("stream", {"entry": f"{number}"}, id=f"{number + 1}-1")
    client.sadd("numbers", *range(9))
    client.sadd("few", "a", "b")
    client.hset("small", mapping={"a": "1"})
    client.zadd("ranks", {"a": 1.5})
    client.xgroup_create("stream", "readers", "0")
    client.xreadgroup("readers", "one", {"stream": ">"}, count=3)
    client.set("text", "größer als ein Byte" * 99, ex=86_400)


def read_store(client: Any) -> list[Any]:
    """Return all that `fill_store` wrote."""
    return [
        client.lrange("list", 0, -1), client.zrange("sorted", 0, -1, withscores=True), client.hgetall("hash"),
        client.smembers("set"), client.xrange("stream"), client.smembers("numbers"), client.smembers("few"),
        client.hgetall("small"), client.zrange("ranks", 0, -1, withscores=True), client.get("text"),
        client.xpending("stream", "readers"), client.ttl("text") > 80_000, client.dbsize(),
    ]  # fmt: skip
