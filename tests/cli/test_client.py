"""The client says in maumau's own errors what went wrong, and shows every field of the contract."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent import futures
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from google.protobuf import any_pb2, timestamp_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from bench.support.patience import patient
from maumau import errors
from maumau.client import answer, call
from maumau.client.arena import Arena
from maumau.v1 import (
    action_pb2,
    engine_pb2,
    game_pb2,
    login_pb2,
    matchmaking_pb2,
    registry_pb2,
    registry_pb2_grpc,
    seek_pb2,
    team_pb2,
    tournament_pb2,
    webhook_pb2,
)
from maumau.v1 import status_pb2 as arena_status_pb2
from tests.support.grpc_server import serve_servicer
from tests.support.kinds import one_of
from tests.support.polling import until

ADD_SERVICER = registry_pb2_grpc.add_RegistryServiceServicer_to_server
SHOWN = [getattr(answer, name) for name in answer.__all__]


@pytest.mark.parametrize("kind", SHOWN)
def test_a_struct_has_exactly_the_fields_of_its_message(kind: type) -> None:
    modules = (
        action_pb2, game_pb2, registry_pb2, tournament_pb2, matchmaking_pb2, seek_pb2, engine_pb2,
        arena_status_pb2, webhook_pb2, login_pb2, team_pb2,
    )  # fmt: skip
    message = next(getattr(module, kind.__name__) for module in modules if hasattr(module, kind.__name__))
    assert set(kind.__struct_fields__) == {field.name for field in message.DESCRIPTOR.fields}


def test_a_message_becomes_a_plain_struct() -> None:
    at = timestamp_pb2.Timestamp(seconds=1_700_000_000)
    validating = registry_pb2.VERSION_STATE_VALIDATING
    sent = registry_pb2.Version(id="version_1", state=validating, rules=["prsi"], seats=[2, 3], created_at=at)
    shown = call.to_struct(answer.Version, sent)
    assert (shown.id, shown.state, shown.rules, shown.seats) == ("version_1", "validating", ("prsi",), (2, 3))
    assert shown.created_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert not shown.settled


def test_what_is_unset_is_none_and_what_is_nested_is_a_struct() -> None:
    event = call.to_struct(answer.TournamentEvent, tournament_pb2.TournamentEvent(cursor="7-0"))
    assert (event.match, event.at, event.kind) == (None, None, "unspecified")
    match = tournament_pb2.Match(label="1.1.1", faults=[0, 3])
    event = call.to_struct(answer.TournamentEvent, tournament_pb2.TournamentEvent(match=match))
    assert event.match is not None
    assert (event.match.label, event.match.faults) == ("1.1.1", (0, 3))


class Registry(registry_pb2_grpc.RegistryServiceServicer):
    """A registry that answers as it is told: with a status, or by hanging up after some answers."""

    def __init__(self) -> None:
        self.refusals: list[Any] = []
        self.calls = 0
        self.held: threading.Event | None = None
        self.states: list[list[str]] = []
        self.request_ids: list[str] = []

    def CreateAccount(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.request_ids.append(str(dict(context.invocation_metadata())["x-request-id"]))
        if self.refusals:
            context.abort(self.refusals.pop(0), "for a reason")
        return registry_pb2.CreateAccountResponse(account_id="account_1")

    def WhoAmI(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.calls += 1
        if self.held:
            self.held.wait(patient(10))
        if self.refusals:
            refusal = self.refusals.pop(0)
            if isinstance(refusal, grpc.StatusCode):
                context.abort(refusal, "for a reason")
            context.abort_with_status(refusal)
        return registry_pb2.WhoAmIResponse(account_name="ada", scopes=["author"])

    def ActivateVersion(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.calls += 1
        if self.refusals:
            context.abort(self.refusals.pop(0), "for a reason")
        return registry_pb2.ActivateVersionResponse(version=registry_pb2.Version(id=request.version_id))

    def WatchVersion(self, request: Any, context: Any) -> Iterator[Any]:  # noqa: N802
        for state in self.states.pop(0):
            if state == "hang up":
                context.abort(grpc.StatusCode.UNAVAILABLE, "restarting")
            value = registry_pb2.VersionState.Value(f"VERSION_STATE_{state.upper()}")
            yield registry_pb2.WatchVersionResponse(version=registry_pb2.Version(id="v", state=value))


@pytest.fixture
def registry() -> Registry:
    return Registry()


@pytest.fixture
def arena(registry: Registry) -> Iterator[Arena]:
    with (
        serve_servicer(ADD_SERVICER, registry) as address,
        Arena(address, address, "mm_token", patience=patient(5)) as arena,
    ):
        yield arena


def status(reason: str, code: grpc.StatusCode, words: str) -> Any:
    info = any_pb2.Any()
    info.Pack(error_details_pb2.ErrorInfo(reason=reason, domain="maumau"))
    return rpc_status.to_status(status_pb2.Status(code=code.value[0], message=words, details=[info]))


@pytest.mark.parametrize("kind", one_of(4, errors.by_reason().values()), ids=str)
def test_every_error_comes_back_as_its_class(kind: type, registry: Registry, arena: Arena) -> None:
    registry.refusals = [status(kind.reason, grpc.StatusCode.FAILED_PRECONDITION, "in words")] * 9
    patient = issubclass(kind, call.TRY_AGAIN)
    if patient:
        arena._registry.patience = 0.0
    with pytest.raises(errors.MaumauError, match=r"^in words$") as caught:
        arena.who()
    assert type(caught.value) is kind


def test_a_reason_of_a_newer_arena_is_kept(registry: Registry, arena: Arena) -> None:
    registry.refusals = [status("SOMETHING_NEW", grpc.StatusCode.ABORTED, "in words")]
    with pytest.raises(errors.Refused, match="in words") as caught:
        arena.who()
    assert caught.value.reason == "SOMETHING_NEW"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.INTERNAL, errors.InternalFault),
        (grpc.StatusCode.UNIMPLEMENTED, errors.InternalFault),
        (grpc.StatusCode.DEADLINE_EXCEEDED, errors.DeadlinePassed),
        (grpc.StatusCode.PERMISSION_DENIED, errors.Refused),
    ],
)
def test_a_status_without_a_reason_is_still_an_error_of_ours(
    code: grpc.StatusCode, kind: type, registry: Registry, arena: Arena
) -> None:
    registry.refusals = [code]
    with pytest.raises(errors.MaumauError) as caught:
        arena.who()
    assert type(caught.value) is kind


def test_another_services_port_is_named_as_what_it_is(arena: Arena) -> None:
    """Here a registry of an earlier release answers, which does not say so itself."""
    words = "another of its services answers at this port.*--arena takes the address of the page"
    with pytest.raises(errors.InternalFault, match=words):
        arena.tournaments()


def test_a_question_is_asked_again_while_the_arena_is_silent(registry: Registry, arena: Arena) -> None:
    registry.refusals = [grpc.StatusCode.UNAVAILABLE] * 2
    assert arena.who().account_name == "ada"
    assert registry.calls == 3


def test_a_version_is_activated_again_while_the_arena_is_silent(registry: Registry, arena: Arena) -> None:
    """Twice is as good as once."""
    registry.refusals = [grpc.StatusCode.UNAVAILABLE]
    assert arena.activate("version_7").id == "version_7"
    assert registry.calls == 2


def test_a_change_is_asked_for_again_under_its_request_id(registry: Registry, arena: Arena) -> None:
    registry.refusals = [grpc.StatusCode.UNAVAILABLE] * 2
    assert arena.create_account("ada").account_id == "account_1"
    assert len(registry.request_ids) == 3
    assert len(set(registry.request_ids)) == 1
    arena.create_account("ada")
    assert len(set(registry.request_ids)) == 2


def test_what_was_refused_is_not_asked_for_again(registry: Registry, arena: Arena) -> None:
    registry.refusals = [grpc.StatusCode.INVALID_ARGUMENT]
    with pytest.raises(errors.Refused) as caught:
        arena.create_account("ada")
    assert registry.request_ids == [caught.value.request_id]


def test_patience_counts_from_when_the_arena_falls_silent_and_ends_with_the_deadline() -> None:
    tries: list[float] = []
    begun = time.monotonic()

    def fails() -> None:
        tries.append(time.monotonic() - begun)
        if len(tries) == 1:
            while time.monotonic() < begun + 0.3:  # longer than its patience: the arena was there
                time.sleep(0.01)
        raise errors.ArenaUnreachable(retry_after=0.0)

    with pytest.raises(errors.ArenaUnreachable):
        call.retry_call(fails, 0.2)
    assert len(tries) > 1
    tries.clear()
    with pytest.raises(errors.ArenaUnreachable):
        call.retry_call(fails, 60.0, last=time.monotonic())
    assert len(tries) == 1


def test_a_stream_that_had_nothing_to_say_for_longer_than_its_patience_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, streams = [0.0], iter((1, 2))
    monkeypatch.setattr(call, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=lambda _: None))

    def stream() -> Iterator[int]:
        number = next(streams)
        yield number
        clock[0] += 60
        if number == 1:
            raise errors.ArenaUnreachable(retry_after=0.0)

    assert list(call.resume_stream(stream, 30)) == [1, 2]


def test_pauses_grow_and_are_not_alike() -> None:
    waits = call.yield_pauses()
    found = [next(waits) for _ in range(8)]
    bounds = [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0]
    assert all(most / 2 <= wait <= most for wait, most in zip(found, bounds, strict=True))
    assert len({next(call.yield_pauses()) for _ in range(10)}) > 1


def test_patience_ends(registry: Registry) -> None:
    registry.refusals = [grpc.StatusCode.UNAVAILABLE] * 99
    with (
        serve_servicer(ADD_SERVICER, registry) as address,
        Arena(address, address, patience=0.5) as arena,
        pytest.raises(errors.ArenaUnreachable, match=address),
    ):
        arena.who()
    assert 2 <= registry.calls < 10


def test_an_arena_that_is_not_there_is_named() -> None:
    words = r"127\.0\.0\.1:1 \(registry service\) does not answer"
    with (
        Arena("127.0.0.1:1", "127.0.0.1:1", patience=0) as arena,
        pytest.raises(errors.ArenaUnreachable, match=words),
    ):
        arena.who()


def test_a_closed_client_says_so() -> None:
    arena = Arena("127.0.0.1:1", "127.0.0.1:1")
    arena.close()
    with pytest.raises(errors.ClosedClient):
        arena.who()


def test_a_call_under_way_when_its_client_is_closed_says_so(registry: Registry) -> None:
    registry.held = threading.Event()
    with (
        serve_servicer(ADD_SERVICER, registry) as address,
        futures.ThreadPoolExecutor(1) as pool,
    ):
        arena = Arena(address, address, "mm_token", patience=0)
        asked = pool.submit(arena.who)
        until("the call has arrived", lambda: registry.calls)
        arena.close()
        with pytest.raises(errors.ClosedClient):
            asked.result(patient(10))
        registry.held.set()


def test_a_watch_goes_on_after_the_arena_hung_up(registry: Registry, arena: Arena) -> None:
    registry.states = [["uploaded", "hang up"], ["validating"], ["validating", "valid"]]
    states = [version.state for version in arena.watch_version("v")]
    assert states == ["uploaded", "validating", "validating", "valid"]
