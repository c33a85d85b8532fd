"""TLS of the services and their clients, with authorities and certificates made here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bench.support.patience import Deadline, patient
from maumau.cli.shared import place
from maumau.client import call
from maumau.errors import BadArena, BadFile, BadSetting
from services.shared.base.settings import Settings
from services.shared.process.server import Server
from services.shared.rpc import tls
from services.shared.rpc.client import connect_aio
from services.supervisor.client import is_well

SECONDS = 2.0
"""For answers that do not come: a handshake that fails is tried again until then."""


@dataclass
class Files:
    """An authority, and a certificate for 127.0.0.1 and its key, as PEM files."""

    folder: Path
    authority: trustme.CA

    def __post_init__(self) -> None:
        self.roots = self.authority.cert_pem.bytes()
        (self.folder / "ca.pem").write_bytes(self.roots)
        self.issue(self.authority)

    def issue(self, authority: trustme.CA, name: str = "127.0.0.1", **dates: datetime) -> None:
        """Another certificate in place of the one that is there."""
        made = authority.issue_cert(name, **dates)
        chain = b"".join(each.bytes() for each in made.cert_chain_pems)
        for file, content in (("cert.pem", chain), ("key.pem", made.private_key_pem.bytes())):
            (self.folder / "new").write_bytes(content)
            (self.folder / "new").replace(self.folder / file)

    @property
    def settings(self) -> dict[str, str]:
        names = {"tls_cert": "cert.pem", "tls_key": "key.pem", "tls_ca": "ca.pem"}
        return {key: str(self.folder / name) for key, name in names.items()}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path, trustme.CA())


@pytest.fixture
def server(files: Files, loop) -> Iterator[Server]:
    """Yield a server with a health service only."""

    async def started() -> Server:
        made = Server("toy", Settings(data=files.folder, **files.settings))
        await made.start()
        return made

    made = loop.run(started())
    yield made
    loop.run(made.stop(0))


def test_a_server_with_a_certificate_answers_who_trusts_its_authority(server, files):
    assert is_well(server.address, patient(10), roots=files.roots)


def test_it_answers_nobody_in_plain_text_and_nobody_who_trusts_another(server):
    assert not is_well(server.address, SECONDS)
    assert not is_well(server.address, SECONDS, roots=trustme.CA().cert_pem.bytes())


def test_a_certificate_of_another_name_is_not_believed(files, loop):
    files.issue(files.authority, "elsewhere.example")

    async def ask() -> None:
        made = Server("toy", Settings(data=files.folder, **files.settings))
        await made.start()
        try:
            assert not await answers(made.address, files.roots, SECONDS)
        finally:
            await made.stop(0)

    loop.run(ask())


async def answers(address: str, roots: bytes, seconds: float) -> bool:
    channel = connect_aio(address, roots=roots)
    try:
        await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=seconds)
    except grpc.RpcError:
        return False
    finally:
        await channel.close()
    return True


def test_handlers_ask_their_neighbours_with_tls(server, files, loop):
    assert loop.run(answers(server.address, files.roots, patient(10)))


def test_a_new_certificate_is_used_without_a_restart(server, files):
    successor = trustme.CA()
    files.issue(successor)
    deadline = Deadline(10)
    while not is_well(server.address, patient(10), roots=successor.cert_pem.bytes()):
        assert not deadline.has_passed()
    assert not is_well(server.address, SECONDS, roots=files.roots)


@pytest.mark.parametrize("broken", ["cert.pem", "key.pem"])
def test_a_renewal_that_is_half_done_changes_nothing(server, files, broken):
    (files.folder / broken).write_text("half of it")
    assert is_well(server.address, patient(10), roots=files.roots)


def test_certificate_and_key_are_refused_before_the_start_unless_they_belong_together(files):
    with pytest.raises(BadSetting, match="belong together"):
        Server("toy", Settings(tls_cert=files.settings["tls_cert"]))
    (files.folder / "key.pem").write_bytes(trustme.CA().issue_cert("x.example").private_key_pem.bytes())
    with pytest.raises(BadSetting, match=r"not a certificate and its key in PEM \(KEY_VALUES_MISMATCH\)"):
        Server("toy", Settings(**files.settings))
    (files.folder / "key.pem").unlink()
    with pytest.raises(BadSetting, match=r"key\.pem cannot be read \(No such file or directory\)"):
        Server("toy", Settings(**files.settings))


def of_years(first: int) -> dict[str, datetime]:
    return {
        "not_before": datetime(first, 1, 1, tzinfo=UTC),
        "not_after": datetime(first + 1, 1, 1, tzinfo=UTC),
    }


DATES = [(of_years(2020), "expired"), (of_years(2090), "not yet")]


@pytest.mark.parametrize(("dates", "words"), DATES)
def test_a_certificate_out_of_its_time_is_refused_before_the_start(files, dates, words):
    files.issue(files.authority, **dates)
    with pytest.raises(BadSetting, match=f"cert.pem: certificate .*{words}.*; renew it"):
        Server("toy", Settings(data=files.folder, **files.settings))


def test_a_renewal_that_has_expired_changes_nothing(server, files):
    files.issue(files.authority, **DATES[0][0])
    assert is_well(server.address, patient(10), roots=files.roots)


def test_a_certificate_that_the_other_services_would_not_take_is_refused_before_the_start(files, loop):
    def start(address):
        loop.run(build(address))

    async def build(address):
        Server("registry", Settings(registry_address=address, **files.settings))

    start("127.0.0.1:7101")
    with pytest.raises(
        BadSetting,
        match=r"not valid for registry.maumau.svc, the address in MAUMAU_REGISTRY_ADDRESS",
    ):
        start("registry.maumau.svc:7101")
    files.issue(trustme.CA())
    with pytest.raises(BadSetting, match=r"issue one for 127.0.0.1 from the authority in MAUMAU_TLS_CA"):
        start("127.0.0.1:7101")


@pytest.mark.parametrize(("text", "words"), [("none", "has no certificate"), (None, "No such file")])
def test_an_authority_that_cannot_be_read_is_named(tmp_path, monkeypatch, text, words):
    path = tmp_path / "ca.pem"
    if text:
        path.write_text(text)
    with pytest.raises(BadSetting, match=words):
        tls.trusted(str(path))
    monkeypatch.setenv("MAUMAU_TLS_CA", str(path))
    with pytest.raises(BadFile, match="MAUMAU_TLS_CA"):
        call.open_channel("127.0.0.1:1", tls=True)


def test_a_command_trusts_the_authority_that_it_is_told(server, files, monkeypatch):
    monkeypatch.setenv("MAUMAU_TLS_CA", files.settings["tls_ca"])
    found = place.find_arena(f"https://{server.address}")
    with call.open_channel(found.registry, tls=found.tls) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        assert stub.Check(health_pb2.HealthCheckRequest(), timeout=patient(10)).status == 1


@pytest.mark.parametrize("text", ["arena.example", "arena.example:7101", "10.1.2.3"])
def test_a_token_goes_nowhere_else_in_plain_text_unless_that_is_asked_for(monkeypatch, text):
    monkeypatch.setenv("MAUMAU_TOKEN", "mm_a-token-of-this-test")
    with pytest.raises(BadArena, match="in plain text: write https://"):
        place.choose_token(place.find_arena(text))
    assert place.choose_token(place.find_arena(f"http://{text}")) == os.environ["MAUMAU_TOKEN"]
    assert place.choose_token(place.find_arena("localhost")) == os.environ["MAUMAU_TOKEN"]
