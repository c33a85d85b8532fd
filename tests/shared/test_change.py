"""Answers that are told again: which of them are secret, to whom they are told, and for how long."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

import pytest
from google.protobuf.descriptor import Descriptor, MethodDescriptor

from bench.support.patience import patient
from maumau.errors import DatabaseUnavailable
from maumau.v1 import (
    engine_pb2,
    job_pb2,
    login_pb2,
    matchmaking_pb2,
    registry_pb2,
    team_pb2,
    tournament_pb2,
    webhook_pb2,
)
from services.engine import servicer as engine
from services.matchmaking import servicer as matchmaking
from services.registry import servicer as registry
from services.registry.people import login as logins
from services.registry.teams import servicer as teams
from services.registry.webhooks import servicer as webhooks
from services.shared.store import change as change_module
from services.shared.store.change import (
    CALLERS,
    UNSTORED_KEPT,
    Change,
    Changing,
    is_change,
    is_secret,
    new_change,
)
from services.tournament.rpc import job_servicer as job
from services.tournament.rpc import servicer as tournament

SERVICES = {
    "RegistryService": (registry_pb2, registry.NEEDS),
    "TeamService": (team_pb2, teams.NEEDS),
    "WebhookService": (webhook_pb2, webhooks.NEEDS),
    "LoginService": (login_pb2, logins.NEEDS),
    "TournamentService": (tournament_pb2, tournament.NEEDS),
    "JobService": (job_pb2, job.NEEDS),
    "EngineService": (engine_pb2, engine.NEEDS),
    "MatchmakingService": (matchmaking_pb2, matchmaking.NEEDS),
}
TELLING = re.compile(r"token|code$|secret$|nonce$|password|private|seed")
PUBLIC = {
    "maumau.v1.Tournament.secret",
    "maumau.v1.Table.secret",
    "maumau.v1.Entry.nonce",
    "maumau.v1.Match.seed_take",
}
"""Fields that look secret but may be told to everybody: secrets of contests and tables that are over, nonces
of entries once their contest has started, and a number that only sounds like a secret."""
KEPT = {
    "CreateAccount", "CreateInvitations", "CreateToken", "RotateToken", "CreatePageCode", "CreateTable",
    "InviteToTeam", "CreateWebhook",
}  # fmt: skip


def list_changes() -> Iterator[tuple[str, MethodDescriptor]]:
    """Yield the calls whose answers are repeated."""
    for name, (messages, needs) in SERVICES.items():
        for method in messages.DESCRIPTOR.services_by_name[name].methods:
            streams = method.client_streaming or method.server_streaming
            if is_change(method.name) and needs[method.name] in CALLERS and not streams:
                yield method.name, method


def list_fields(kind: Descriptor, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    for field in kind.fields:
        yield field.full_name
        inner = field.message_type
        if inner and inner.full_name not in seen:
            yield from list_fields(inner, seen | {inner.full_name})


def is_telling(field: str) -> bool:
    """Return True if a field's own name looks secret."""
    return bool(TELLING.search(field.rpartition(".")[2]))


def test_every_answer_that_tells_a_secret_is_treated_as_one() -> None:
    secret, looks = set(), {}
    for name, method in list_changes():
        if is_secret(method.output_type):
            secret.add(name)
        elif found := {one for one in list_fields(method.output_type) if is_telling(one)} - PUBLIC:
            looks[name] = found
    assert looks == {}
    assert secret == KEPT


def test_calls_without_a_token_are_told_apart_by_their_address() -> None:
    request = registry_pb2.CreateAccountRequest(name="ada")
    asked = ("CreateAccount", "at 192.0.2.7", "request_0123456789", request)
    other = ("CreateAccount", "at 192.0.2.8", "request_0123456789", request)
    assert new_change(*asked).id == new_change(*asked).id != new_change(*other).id


class NoTable:
    """Keeps nothing, as the tables keep no secret."""

    async def begin(self, change: Change) -> bytes | None:
        return None

    look_again = begin

    async def renew(self, change: Change) -> None:
        return None

    async def end(self, change: Change, answer: bytes | None, *, secret: bool) -> None:
        return None


class BrokenTable(NoTable):
    """Is away when an answer is to be stored."""

    async def end(self, change: Change, answer: bytes | None, *, secret: bool) -> None:
        raise DatabaseUnavailable


class ReturningTable(NoTable):
    """Is away for the first two times that an answer is to be stored."""

    def __init__(self) -> None:
        self.calls, self.stored = 0, dict[str, bytes | None]()

    async def begin(self, change: Change) -> bytes | None:
        return self.stored.get(change.id)

    look_again = begin

    async def end(self, change: Change, answer: bytes | None, *, secret: bool) -> None:
        self.calls += 1
        if self.calls <= 2:
            raise DatabaseUnavailable
        self.stored[change.id] = answer


async def pass_over(error: BaseException | None) -> None:
    """Take no note."""


def test_a_secret_answer_is_told_again_for_a_minute_and_leaves_the_memory() -> None:
    now, made = [0], []
    changing = Changing(lambda: now[0])

    async def make() -> tuple[bytes, bool]:
        made.append(now[0])
        return str(now[0]).encode(), True

    async def ask(name: str) -> bytes:
        return await changing.answer(NoTable(), Change(name), make, pass_over)

    async def run() -> None:
        assert await ask("one") == b"0"
        now[0] = UNSTORED_KEPT - 1
        assert await ask("one") == b"0"
        now[0] = UNSTORED_KEPT
        assert await ask("one") == str(UNSTORED_KEPT).encode()

    asyncio.run(run())
    assert made == [0, UNSTORED_KEPT]
    assert list(changing._unstored) == ["one"]
    now[0] = 3 * UNSTORED_KEPT
    changing._forget_unstored(1000)
    assert not changing._unstored


def test_a_clock_that_is_set_back_keeps_no_secret_for_longer() -> None:
    now = [0]
    changing = Changing(lambda: now[0])
    changing._keep_unstored(Change("one"), b"token")
    now[0] = UNSTORED_KEPT
    assert changing._unstored_answer(Change("one")) is None


def test_an_answer_that_cannot_be_stored_is_told_again_by_this_server() -> None:
    made, changing = [], Changing()

    async def ask(said: bytes) -> bytes:
        async def make() -> tuple[bytes, bool]:
            made.append(said)
            return said, False

        return await changing.answer(BrokenTable(), Change(f"change {said!r}"), make, pass_over)

    async def run() -> None:
        for said in (b"said", b""):
            assert [await ask(said), await ask(said)] == [said, said]

    asyncio.run(run())
    assert made == [b"said", b""]


def test_an_answer_that_cannot_be_stored_at_once_is_stored_as_soon_as_it_can_be() -> None:
    table, here, made = ReturningTable(), Changing(), []

    async def make() -> tuple[bytes, bool]:
        made.append("once")
        return b"said", False

    async def run() -> bytes:
        assert await here.answer(table, Change("one"), make, pass_over) == b"said"
        assert not table.stored  # the caller does not wait for it
        await here.wait(patient(10))
        assert (table.calls, table.stored) == (3, {"one": b"said"})
        return await Changing().answer(table, Change("one"), make, pass_over)  # at another replica

    assert asyncio.run(run()) == b"said"
    assert made == ["once"]


def test_a_server_that_stops_waits_until_the_answer_of_a_change_under_way_is_stored() -> None:
    table, here, begun, waited_for = ReturningTable(), Changing(), asyncio.Event(), asyncio.Event()

    async def make() -> tuple[bytes, bool]:
        begun.set()
        await waited_for.wait()
        return b"said", False

    async def run() -> None:
        answering = asyncio.create_task(here.answer(table, Change("one"), make, pass_over))
        await begun.wait()
        asyncio.get_running_loop().call_soon(waited_for.set)
        await here.wait(patient(10))
        assert table.stored == {"one": b"said"}
        assert await answering == b"said"

    asyncio.run(run())


def test_an_answer_that_cannot_be_stored_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_module, "STORING", 0.3)
    here = Changing()

    async def make() -> tuple[bytes, bool]:
        return b"said", False

    async def run() -> None:
        await here.answer(BrokenTable(), Change("one"), make, pass_over)
        await here.wait(patient(10))

    asyncio.run(run())
    assert not here._storing
