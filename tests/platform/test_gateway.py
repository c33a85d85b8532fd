"""One address for all services: calls go where the routes of the gateway send them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
import yaml

from bench.support.checkout import ROOT
from bench.support.embedded import running
from bench.support.patience import patient
from maumau.cli.shared.place import SERVICES, WITH_ACTIONS
from maumau.client import action
from maumau.client.arena import Arena
from maumau.client.live import Tables
from maumau.client.matchmaking import Matchmaking
from maumau.client.status import read_arena_status
from tests.support.manifests import of_kind

pytestmark = pytest.mark.long

GATEWAY = ROOT / "k8s/overlays/production/gateway.yaml"
PASSED_ON = {"authorization", "maumau-service", "x-request-id"}


class Gateway(grpc.GenericRpcHandler):
    """Passes on each call as a GRPCRoute says. backends: a channel by the name of a service."""

    def __init__(self, route: Mapping[str, Any], backends: Mapping[str, grpc.Channel]) -> None:
        self.rules, self.backends = route["spec"]["rules"], backends

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        """Return a handler that forwards the call; None, which means UNIMPLEMENTED, if no rule fits."""
        metadata = [each for each in details.invocation_metadata if each[0] in PASSED_ON]
        name = find_backend(self.rules, details.method.split("/")[1], dict(metadata))
        if not name:
            return None
        call = self.backends[name].unary_unary(details.method)

        def pass_on(request: bytes, context: grpc.ServicerContext) -> bytes:
            try:
                return bytes(call(request, timeout=patient(20), metadata=metadata))
            except grpc.RpcError as error:
                context.set_trailing_metadata(error.trailing_metadata())
                context.abort(error.code(), error.details())

        return grpc.unary_unary_rpc_method_handler(pass_on)


def find_backend(rules: list[Any], service: str, metadata: Mapping[str, str]) -> str:
    """Return the first backend whose match fits; "" if none does."""
    for rule in rules:
        for match in rule["matches"]:
            wanted = {each["name"]: each["value"] for each in match.get("headers", [])}
            if match["method"] == {"service": service} and wanted.items() <= metadata.items():
                return str(rule["backendRefs"][0]["name"])
    return ""


@pytest.fixture(scope="module")
def card(house_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Yield an arena's own description."""
    folder = tmp_path_factory.mktemp("gateway")
    shutil.copytree(house_data, folder / "data")
    with running(folder / "data") as arena:
        yield arena.read_card()


@pytest.fixture(scope="module")
def address(card: dict[str, str]) -> Iterator[str]:
    """Yield the address of a gateway in front of that arena."""
    (route,) = of_kind(list(yaml.safe_load_all(GATEWAY.read_text())), "GRPCRoute")
    backends = {name: grpc.insecure_channel(card[name]) for name in SERVICES}
    server = grpc.server(ThreadPoolExecutor(8), handlers=[Gateway(route, backends)])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None).wait()
    for channel in backends.values():
        channel.close()


def test_every_service_is_asked_how_it_is(card: dict[str, str], address: str) -> None:
    found = read_arena_status(dict.fromkeys(SERVICES, address), card["token"])
    assert found.services == dict.fromkeys(SERVICES, "answers")
    assert {one.service for one in found.states} == set(SERVICES)


def test_each_service_says_what_admins_asked_of_it(card: dict[str, str], address: str) -> None:
    with Arena(address, address, card["token"]) as link:
        link.create_token(label="through the gateway")
        assert not link.tournaments()
    with Matchmaking(address, card["token"]) as ladders:
        ladders.create("behind", "mau_mau")
    with Tables(address, card["token"]) as tables:
        tables.create("prsi")
    found = action.read_newest_actions(dict.fromkeys(WITH_ACTIONS, address), card["token"], 100)
    assert {"RegistryService", "MatchmakingService"} <= {one.service for one in found}
    assert len({one.id for one in found}) == len(found)
