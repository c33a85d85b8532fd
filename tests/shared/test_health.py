"""Alive is whoever answers; ready is whoever has all that he needs."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio
from prometheus_client import CollectorRegistry

from bench.support.patience import patient
from services.engine.app import bind as bind_engine
from services.shared.base.settings import Settings
from services.shared.process import health
from services.shared.process.server import Server
from services.shared.rpc.client import connect
from services.supervisor.client import is_well
from tests.support.arenas.tournament import Arena
from tests.support.waiting import free_port, until

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("services.shared.process.server.LOOK", 0.1)


def say(address, service):
    with connect(address, "") as channel:
        try:
            return (
                health_pb2_grpc.HealthStub(channel)
                .Check(health_pb2.HealthCheckRequest(service=service), timeout=patient(10))
                .status
            )
        except grpc.RpcError:
            return None


@pytest.mark.long
def test_without_its_database_a_service_lives_and_is_not_ready(loop, tmp_path, valkey_url):
    arena = Arena(loop, tmp_path, "", valkey_url)
    arena.start()
    try:
        until(lambda: say(arena.address, "readiness") == SERVING)
        (tmp_path / "registry.db").rename(tmp_path / "gone.db")
        (tmp_path / "tournament.db").rename(tmp_path / "gone-too.db")
        until(lambda: say(arena.address, "readiness") == NOT_SERVING)
        assert say(arena.address, "database") == NOT_SERVING
        assert arena.server.registry.get_sample_value("maumau_need_up", {"need": "database"}) == 0
        assert say(arena.address, "") == SERVING
        assert is_well(arena.address)
        assert not is_well(arena.address, service="readiness")
        (tmp_path / "gone.db").rename(tmp_path / "registry.db")
        (tmp_path / "gone-too.db").rename(tmp_path / "tournament.db")
        until(lambda: say(arena.address, "readiness") == SERVING)
    finally:
        arena.stop()


@pytest.mark.long
def test_without_redis_the_arena_goes_on_and_live_tables_do_not(loop, tmp_path):
    arena = Arena(loop, tmp_path, "", f"redis://127.0.0.1:{free_port()}")
    arena.start()
    engine = loop.run(_engine(arena.settings))
    try:
        until(lambda: say(arena.address, "broker") == say(arena.address, "redis") == NOT_SERVING)
        assert say(arena.address, "readiness") == SERVING
        until(lambda: say(engine.address, "readiness") == NOT_SERVING)
        assert say(engine.address, "") == SERVING
    finally:
        loop.run(engine.stop(0.1))
        arena.stop()


async def _engine(settings):
    server = Server("engine", Settings(**vars(settings) | {"listen": "127.0.0.1:0"}))
    await bind_engine(server, server.settings)
    await server.start()
    return server


def test_work_that_was_not_done_for_long_is_said(loop, monkeypatch):
    monkeypatch.setattr("services.shared.process.server.STALE", 0.5)

    async def begin():
        server = Server("test", Settings(listen="127.0.0.1:0"))
        server.background("sweep", 0.01, _fail, vital=True)
        await server.start()
        return server

    async def _fail():
        raise ValueError("no")

    server = loop.run(begin())
    try:
        until(lambda: say(server.address, health.READINESS) == NOT_SERVING)
        assert "sweep was last done" in server.needs.words["sweep"]
        assert say(server.address, "") == SERVING
    finally:
        loop.run(server.stop(0.1))


def test_a_service_with_much_to_do_is_ready():
    busy, done = ThreadPoolExecutor(1), threading.Event()

    async def look():
        asyncio.get_running_loop().set_default_executor(busy)
        waiting = asyncio.ensure_future(asyncio.to_thread(done.wait))
        needs = health.Needs(aio.HealthServicer(), CollectorRegistry())
        needs.add_call("database", str)
        try:
            await needs.look()
        finally:
            done.set()
            await waiting
            needs.lane.close()
        return needs.words

    assert asyncio.run(look()) == {"database": ""}


@pytest.mark.parametrize(
    ("answers", "said"), [(("gone", ""), "gone"), (("", "gone"), "gone"), (("one", "two"), "one; two")]
)
def test_a_need_that_two_services_in_one_process_have_is_well_if_both_are_answered(answers, said):
    async def probe(words):
        if words:
            raise OSError(words)

    async def look():
        needs = health.Needs(aio.HealthServicer(), CollectorRegistry())
        for words in answers:
            needs.add("database", partial(probe, words), vital=bool(words))
        await needs.look()
        needs.lane.close()
        ready = await needs.health.Check(health_pb2.HealthCheckRequest(service=health.READINESS), None)
        return needs.words["database"], ready.status

    assert asyncio.run(look()) == (said, NOT_SERVING)
