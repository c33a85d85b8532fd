"""A stream ends soon after its caller may not see it any more, whatever kind it is and whose."""

import asyncio
import importlib
from pathlib import Path

import grpc
import pytest

from bench.support.patience import patient
from maumau import v1
from maumau.errors import (
    ArenaUnreachable,
    DatabaseUnavailable,
    ExpiredToken,
    NotAllowed,
    NotReleased,
    RevokedToken,
    UnknownToken,
)  # fmt: skip
from services.engine import servicer as engine
from services.matchmaking import servicer as matchmaking
from services.registry import servicer as registry
from services.registry.people import login as logins
from services.registry.teams import servicer as teams
from services.registry.webhooks import servicer as webhooks
from services.shared.base.auth import Identity
from services.shared.base.settings import Settings
from services.shared.process import service_status
from services.shared.process.server import Server
from services.shared.rpc import action_servicer, open_stream
from services.shared.rpc.client import connect_aio
from services.shared.rpc.status import rpc_errors
from services.tournament.rpc import job_servicer as job
from services.tournament.rpc import servicer as tournament
from tests.support.loop import Loop

TOKEN = "mm_" + "a" * 20
NEEDS = {
    "RegistryService": registry.NEEDS, "TournamentService": tournament.NEEDS, "EngineService": engine.NEEDS,
    "MatchmakingService": matchmaking.NEEDS, "JobService": job.NEEDS, "ActionService": action_servicer.NEEDS,
    "StatusService": service_status.NEEDS, "WebhookService": webhooks.NEEDS, "LoginService": logins.NEEDS,
    "TeamService": teams.NEEDS,
}  # fmt: skip
ALL_SCOPES = frozenset({"author", "organiser", "admin", "worker", "reader"})


def list_services():
    """Descriptors of all services of the contract."""
    names = sorted(path.stem for path in Path(next(iter(v1.__path__))).glob("*_pb2.py"))
    files = [importlib.import_module(f"maumau.v1.{name}").DESCRIPTOR for name in names]
    return [service for file in files for service in file.services_by_name.values()]


STREAMS = sorted(
    f"{service.name}/{method.name}"
    for service in list_services()
    for method in service.methods
    if method.server_streaming or method.client_streaming
)


def kind_of(method):
    """Return the word that gRPC has for a method's kind, such as `unary_stream`."""
    flags = method.client_streaming, method.server_streaming
    return "_".join("stream" if flag else "unary" for flag in flags)


class Endless:
    """Every method of a service, as a stream that says one thing and then waits. check: what it requires."""

    def __init__(self, service, check):
        self.service, self.check, self.arrived, self.left = service, check, [], []
        self.has_much_to_say, self.about = False, "this"

    async def answers(self, request, context):
        open_stream.require(self.check, self.about)
        yield b""
        self.arrived.append(context)
        try:
            while self.has_much_to_say:
                yield b"x" * 65536
            await asyncio.sleep(3600)
        finally:
            self.left.append(context)

    async def answer(self, request, context):
        async for _ in self.answers(request, context):
            pass

    def register(self, _, server):
        handlers = {}
        for method in self.service.methods:
            kind = kind_of(method)
            call = self.answers if method.server_streaming else self.answer
            handlers[method.name] = getattr(grpc, f"{kind}_rpc_method_handler")(call)
        name = self.service.full_name
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))


class House:
    """All services on one server, their streams endless. refusal: what is said of TOKEN from then on."""

    def __init__(self):
        self.loop, self.refusal, self.scopes, self.check = Loop(), None, ALL_SCOPES, lambda _: None
        self.endless = {one.name: Endless(one, self.say) for one in list_services()}

    async def start(self):
        self.server = Server("house", Settings())
        for name, one in self.endless.items():
            self.server.add(one.service, one.register, one, NEEDS[name], self.authenticate)
        await self.server.start()

    async def authenticate(self, token):
        if self.refusal:
            raise self.refusal
        return Identity("account_1", "ada", self.scopes)

    def say(self, who):
        self.check(who)

    async def open(self, channel, path):
        """Return a stream of that path, which has begun."""
        service, _, name = path.partition("/")
        endless = self.endless[service]
        method = endless.service.methods_by_name[name]
        kind = "_".join(
            "stream" if f else "unary" for f in (method.client_streaming, method.server_streaming)
        )
        call = getattr(channel, kind)(f"/{endless.service.full_name}/{name}")
        before = len(endless.arrived)
        stream = call(asking() if method.client_streaming else b"")
        if method.server_streaming:
            assert await stream.read() == b""
        while len(endless.arrived) == before:  # noqa: ASYNC110 - a test's poll
            await asyncio.sleep(0.005)
        return stream


async def asking():
    yield b""
    await asyncio.sleep(3600)


async def end_of(stream):
    """Read to the end of a stream."""
    with rpc_errors():
        if hasattr(stream, "read"):
            await asyncio.wait_for(stream.read(), patient(20))
        else:
            await asyncio.wait_for(stream, patient(20))


@pytest.fixture
def house():
    made = House()
    made.loop.run(made.start())
    yield made
    made.loop.run(made.server.stop(0.0))
    made.loop.close()


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(open_stream, "REVIEW_SECONDS", 0.1)


def test_every_service_of_the_contract_is_looked_at_here():
    assert {service.name for service in list_services()} == set(NEEDS)
    assert "TournamentService/WatchTournament" in STREAMS
    assert "EngineService/Play" in STREAMS


@pytest.mark.sample(13)
@pytest.mark.parametrize("path", STREAMS)
def test_a_stream_ends_when_its_token_is_revoked(quick, house, path):
    async def watch():
        channel = connect_aio(house.server.address, TOKEN)
        stream = await house.open(channel, path)
        house.refusal = RevokedToken()
        try:
            with pytest.raises(RevokedToken):
                await end_of(stream)
        finally:
            await channel.close()

    house.loop.run(watch())
    assert house.endless[path.partition("/")[0]].left, "the handler goes on"


@pytest.mark.parametrize("refusal", [ExpiredToken, UnknownToken])
def test_a_stream_ends_when_its_token_is_good_no_more(quick, house, refusal):
    house.loop.run(_ends(house, lambda: setattr(house, "refusal", refusal()), refusal))


def test_a_stream_ends_when_its_account_loses_the_scope(quick, house):
    lose = lambda: setattr(house, "scopes", frozenset({"reader"}))  # noqa: E731
    house.loop.run(_ends(house, lose, NotAllowed, "MatchmakingService/Seek"))


def test_a_stream_ends_when_what_its_handler_requires_is_no_more(quick, house):
    def check(who):
        assert who.name == "ada"
        raise NotReleased

    house.loop.run(_ends(house, lambda: setattr(house, "check", check), NotReleased))


async def _ends(house, change, refusal, path="TournamentService/WatchTournament"):
    channel = connect_aio(house.server.address, TOKEN)
    stream = await house.open(channel, path)
    change()
    try:
        with pytest.raises(refusal):
            await end_of(stream)
    finally:
        await channel.close()


@pytest.mark.parametrize("error", [ArenaUnreachable, DatabaseUnavailable, ZeroDivisionError])
def test_a_stream_goes_on_while_nobody_can_say_whose_token_it_is(house, error):
    async def watch():
        channel = connect_aio(house.server.address, TOKEN)
        stream = await house.open(channel, "TournamentService/WatchTournament")
        house.refusal = error()
        await house.server.around.streams.review()
        house.refusal = None
        await house.server.around.streams.review()
        assert not house.endless["TournamentService"].left
        stream.cancel()
        await channel.close()

    house.loop.run(watch())


def test_streams_of_one_caller_ask_once_who_he_is(house):
    asked = []

    async def watch():
        channel = connect_aio(house.server.address, TOKEN)
        path = "/maumau.v1.TournamentService/WatchTournament"
        streams = [channel.unary_stream(path)(b"") for _ in range(5)]
        assert [await stream.read() for stream in streams] == [b""] * 5
        found = house.server.gate.rules[path]

        async def count(token):
            asked.append(token)
            return await house.authenticate(token)

        house.server.gate.rules[path] = found[0], count
        await house.server.around.streams.review()
        await channel.close()

    house.loop.run(watch())
    assert len(asked) == 1


def test_what_streams_of_one_caller_require_is_checked_once(house):
    """Five streams of one caller about one thing, and one of another thing: two checks."""
    checked = []
    house.check = checked.append

    async def watch():
        channel = connect_aio(house.server.address, TOKEN)
        path = "TournamentService/WatchTournament"
        streams = [await house.open(channel, path) for _ in range(5)]
        house.endless["TournamentService"].about = "that"
        streams.append(await house.open(channel, path))
        await house.server.around.streams.review()
        assert len(checked) == 2
        await channel.close()

    house.loop.run(watch())


def test_a_reader_who_does_not_read_is_cut_off_too(quick, house):
    """A reader with too many unread messages gets no more, and the stream ends."""
    endless = house.endless["TournamentService"]

    async def watch():
        channel = connect_aio(house.server.address, TOKEN)
        stream = channel.unary_stream("/maumau.v1.TournamentService/WatchTournament")(b"")
        await stream.read()
        house.refusal = RevokedToken()
        async with asyncio.timeout(patient(20)):
            while not endless.left:  # noqa: ASYNC110 - a test's poll
                await asyncio.sleep(0.02)
        await channel.close()

    endless.has_much_to_say = True
    house.loop.run(watch())


def test_a_stream_ends_within_ten_seconds_of_the_loss_of_its_token():
    from services.shared.rpc.registry import REMEMBERED

    assert REMEMBERED + open_stream.REVIEW_SECONDS <= 10
