"""A registry and engine services on real servers, and their calls."""

import uuid
from contextlib import contextmanager
from dataclasses import replace

import grpc

from bench.support.patience import patient
from maumau.client.call import rpc_errors
from maumau.v1 import engine_pb2, engine_pb2_grpc, game_pb2, registry_pb2, registry_pb2_grpc
from services.engine.app import bind as bind_engine
from services.registry.app import bind as bind_registry
from services.shared.base.settings import Settings
from services.shared.process.server import Server
from tests.support.stores import tables
from tests.support.waiting import free_port

ADMIN = "mm_the-admin-of-these-tests"
WORKER = "mm_a-worker-of-these-tests"
PAGE = "mm_the-page-of-these-tests"


class Calls:
    """A service's calls with one token: `calls.Fold(…)`; refusals are MaumauErrors."""

    def __init__(self, address, token, messages, stub):
        self.address, self.messages = address, messages
        self.channel = grpc.insecure_channel(address)
        self.stub = stub(self.channel)
        self.metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def __getattr__(self, method):
        request = getattr(self.messages, f"{method}Request")

        def call_method(**fields):
            with rpc_errors():
                return getattr(self.stub, method)(
                    request(**fields), timeout=patient(20), metadata=self.metadata
                )

        return call_method

    def stream(self, method, messages):
        """Yield the answers to a stream of messages, or to one message."""
        with rpc_errors():
            yield from getattr(self.stub, method)(messages, timeout=patient(60), metadata=self.metadata)


class Arena:
    """A registry and an engine service on one address; `replica` makes a further engine service."""

    def __init__(self, loop, folder, redis_url):
        tables.copy_into(folder)
        self.loop, self.address = loop, f"127.0.0.1:{free_port()}"
        self.settings = Settings(
            data=folder, listen=self.address, registry_address=self.address, engine_address=self.address,
            tournament_address=self.address, redis_url=f"{redis_url}/0", broker_url=f"{redis_url}/1",
            admin_token=ADMIN, worker_token=WORKER, reader_token=PAGE,
            quota_accounts_hour=100_000, quota_accounts_day=100_000,
        )  # fmt: skip
        self.server = loop.run(self._bind_services(self.settings, bind_registry, bind_engine))

    async def _bind_services(self, settings, *binds):
        server = Server("test", settings)
        for bind in binds:
            await bind(server, settings)
        await server.start()
        return server

    @contextmanager
    def replica(self):
        """Yield the address of another engine service on the same Redis."""
        settings = replace(self.settings, listen=f"127.0.0.1:{free_port()}")
        server = self.loop.run(self._bind_services(settings, bind_engine))
        try:
            yield settings.listen
        finally:
            self.loop.run(server.stop(0.1))

    def stop(self):
        self.loop.run(self.server.stop(0.1))

    def engine(self, token="", address=""):
        """Return the engine's calls, by default with no token."""
        calls = Calls(address or self.address, token, engine_pb2, engine_pb2_grpc.EngineServiceStub)
        calls.redis_url = self.settings.redis_url
        return calls

    def author(self):
        """Return the token of a new account."""
        registry = Calls(self.address, "", registry_pb2, registry_pb2_grpc.RegistryServiceStub)
        return registry.CreateAccount(name=f"author-{uuid.uuid4().hex[:8]}").token


def make_table(engine, name="prsi", seats=2, time=None, **fields):
    """Return a new table: itself, and the tokens of its seats."""
    made = engine.CreateTable(
        rules=game_pb2.RuleSet(name=name), seats=seats, time=engine_pb2.TimeControl(**(time or {})), **fields
    )
    return made.table, list(made.seat_tokens)
