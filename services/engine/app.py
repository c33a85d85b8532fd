"""Builds the engine service: the one place that knows all its parts."""

from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.engine.metrics import Metrics
from services.engine.servicer import NEEDS, Servicer
from services.shared.registry import TokenOwners
from services.shared.server import Server
from services.shared.settings import Settings

SERVICE = engine_pb2.DESCRIPTOR.services_by_name["EngineService"]


async def bind(server: Server, settings: Settings) -> None:
    """Adds the service."""
    own = {"admin": settings.need("admin_token"), "worker": settings.need("worker_token")}
    owners = TokenOwners(settings.need("registry_address"), own)
    register = engine_pb2_grpc.add_EngineServiceServicer_to_server
    server.add(SERVICE, register, Servicer(metrics=Metrics(server.registry)), NEEDS, owners.authenticate)
    server.on_stop(owners.close)
