"""Builds the engine service: the one place that knows all its parts."""

import asyncio

from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.engine.client import Matchmaking
from services.engine.metrics import Metrics
from services.engine.replica import Replica
from services.engine.servicer import NEEDS, Servicer
from services.engine.status import tell_status
from services.engine.store import Tables
from services.shared import redis, tls
from services.shared.redis import RedisChanges
from services.shared.registry import TokenOwners
from services.shared.server import Server
from services.shared.settings import Settings

SWEEP, LOOK, RETRY = 1.0, 2.0, 0.5
"""Seconds between sweeps, between looks at what is followed, and after Redis was away."""
SERVICE = engine_pb2.DESCRIPTOR.services_by_name["EngineService"]


async def bind(server: Server, settings: Settings) -> None:
    """Adds the service."""
    own = {"admin": settings.need("admin_token"), "worker": settings.need("worker_token")}
    own |= {"reader": settings.reader_token}  # the page goes on while the registry is silent
    roots, vouches = tls.trusted(settings.tls_ca), server.gate.are_hosts_certified
    owners = TokenOwners(settings.need("registry_address"), own, roots, vouches=vouches)
    redis_url = settings.need("redis_url")
    client = redis.connect_aio(redis_url)
    store = Tables(client, redis.connect_reader(redis_url))
    metrics = Metrics(server.registry)
    matchmaking = None
    if settings.matchmaking_address:
        matchmaking = Matchmaking(settings.matchmaking_address, own["worker"], roots)
    replica = Replica(store, metrics, matchmaking.report if matchmaking else None)

    async def close() -> None:
        await store.close()
        await owners.close()
        if matchmaking:
            await matchmaking.close()
        await asyncio.to_thread(servicer.verifying.close)

    register = engine_pb2_grpc.add_EngineServiceServicer_to_server
    servicer = Servicer(metrics=metrics, replica=replica)
    changes = RedisChanges(client, "engine")
    server.add(SERVICE, register, servicer, NEEDS, owners.authenticate, changes=changes)
    server.add_status("engine", tell_status(store), owners.authenticate)
    server.needs.add("redis", store.check)
    server.background("news", RETRY, replica.follow_news)
    server.background("look", LOOK, replica.look)
    server.background(
        "tables", SWEEP, replica.sweep, vital=True
    )  # no name twice: one server may have all services
    server.on_stopping(replica.stop)
    server.on_stop(close)
