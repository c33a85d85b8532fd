"""Assembly of the engine service: the one place that knows all its parts."""

import asyncio

from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.engine.client import Matchmaking
from services.engine.metrics import EngineMetrics
from services.engine.replica import Replica
from services.engine.servicer import NEEDS, EngineServicer
from services.engine.status import tell_status
from services.engine.store import TableStore
from services.shared.base.settings import Settings
from services.shared.process.server import Server
from services.shared.rpc import tls
from services.shared.rpc.registry import TokenOwners
from services.shared.store import redis
from services.shared.store.redis import RedisChanges

SWEEP, LOOK, RETRY = 1.0, 2.0, 0.5
"""Seconds between sweeps, between checks of followed tables, and until a retry when Redis is unavailable."""
SERVICE = engine_pb2.DESCRIPTOR.services_by_name["EngineService"]


async def bind(server: Server, settings: Settings) -> None:
    """Add the service."""
    own = {"admin": settings.need("admin_token"), "worker": settings.need("worker_token")}
    own |= {"reader": settings.reader_token}  # so that the page works while the registry is down
    roots, vouches = tls.trusted(settings.tls_ca), server.gate.are_hosts_certified
    owners = TokenOwners(settings.need("registry_address"), own, roots, vouches=vouches)
    redis_url = settings.need("redis_url")
    client = redis.connect_aio(redis_url)
    store = TableStore(client, redis.connect_reader(redis_url))
    metrics = EngineMetrics(server.registry)
    matchmaking = None
    if settings.matchmaking_address:
        matchmaking = Matchmaking(settings.matchmaking_address, own["worker"], roots)
    replica = Replica(store, metrics, matchmaking.report_result if matchmaking else None)

    async def close() -> None:
        await store.close()
        await owners.close()
        if matchmaking:
            await matchmaking.close()
        await asyncio.to_thread(servicer.verifying.close)

    register = engine_pb2_grpc.add_EngineServiceServicer_to_server
    servicer = EngineServicer(metrics=metrics, replica=replica)
    changes = RedisChanges(client, "engine")
    server.add(SERVICE, register, servicer, NEEDS, owners.authenticate, changes=changes)
    server.add_status("engine", tell_status(store), owners.authenticate)
    server.needs.add("redis", store.check_redis)
    server.background("news", RETRY, replica.follow_news)
    server.background("look", LOOK, replica.refresh_changed)
    server.background(
        "tables", SWEEP, replica.sweep_tables, vital=True
    )  # names must be unique: one server may host every service
    server.on_stopping(replica.stop_waiting)
    server.on_stop(close)
