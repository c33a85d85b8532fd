"""Hosts of workers show certificates of their own: a token alone, in other hands, opens nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bench.support.patience import patient
from maumau.client import call
from maumau.client.call import rpc_errors
from maumau.errors import ArenaUnreachable, BadFile, BadSetting, NotAllowed, UnknownArtifact
from maumau.v1 import registry_pb2 as pb
from maumau.v1.registry_pb2_grpc import RegistryServiceStub
from services.registry.app import bind
from services.shared.base.settings import Settings
from services.shared.process.server import Server
from services.shared.rpc import tls
from services.shared.rpc.client import connect
from services.shared.rpc.gate import VOUCHER
from services.supervisor.client import is_well
from services.worker.client import Registry

ADMIN, WORKER = "mm_the-admin-of-these-tests", "mm_a-worker-of-these-tests"


@dataclass
class Hosts:
    """A registry with a port for hosts of workers, and the two authorities: the services' and the hosts'."""

    folder: Path
    services: trustme.CA
    hosts: trustme.CA

    def __post_init__(self) -> None:
        self.roots = self.services.cert_pem.bytes()
        (self.folder / "ca.pem").write_bytes(self.roots)
        (self.folder / "workers.pem").write_bytes(self.hosts.cert_pem.bytes())
        self.write("server", self.services.issue_cert("127.0.0.1"))

    def write(self, name: str, made: trustme.LeafCert) -> dict[str, str]:
        """Return the certificate and its key as files; their paths."""
        files = {"cert": self.folder / f"{name}.pem", "key": self.folder / f"{name}.key"}
        files["cert"].write_bytes(b"".join(each.bytes() for each in made.cert_chain_pems))
        files["key"].write_bytes(made.private_key_pem.bytes())
        return {what: str(path) for what, path in files.items()}

    @property
    def settings(self) -> dict[str, str]:
        names = {"tls_cert": "server.pem", "tls_key": "server.key", "tls_workers_ca": "workers.pem"}
        return {key: str(self.folder / name) for key, name in names.items()} | {
            "listen_workers": "127.0.0.1:0"
        }

    def show(self, name: str, authority: trustme.CA | None = None) -> tls.Own:
        """Return the certificate of a host of this name."""
        files = self.write(name, (authority or self.hosts).issue_cert(name))
        told = {f"tls_client_{what}": path for what, path in files.items()}
        own = tls.own_certificate(Settings(**told, tls_ca=str(self.folder / "ca.pem")))
        assert own
        return own


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Hosts:
    return Hosts(tmp_path_factory.mktemp("hosts"), trustme.CA(), trustme.CA())


@pytest.fixture(scope="module")
def server(hosts: Hosts, loop, valkey: str) -> Iterator[Server]:
    given = {"admin_token": ADMIN, "worker_token": WORKER, "broker_url": f"{valkey}/5", **hosts.settings}

    async def started() -> Server:
        made = Server("registry", Settings(data=hosts.folder, **given))
        await bind(made, made.settings)
        await made.start()
        return made

    made = loop.run(started())
    yield made
    loop.run(made.stop(0))


@pytest.fixture(scope="module")
def token(hosts: Hosts, server: Server) -> str:
    """Return the token of the host named host-1."""
    asked = pb.CreateTokenRequest(scopes=["worker"], label="host-1")
    with connect(server.address, ADMIN, hosts.roots) as channel, rpc_errors():
        return RegistryServiceStub(channel).CreateToken(asked, timeout=patient(20)).token


def fetch(address: str, token: str, roots: bytes, own: tls.Own | None = None) -> bytes:
    """Asks for a program that is not there: who is let in hears that it is unknown."""
    return Registry(address, token, roots, own).fetch("0" * 64)


def test_a_host_is_let_in_with_its_token_and_a_certificate_of_its_name(hosts, server, token):
    with pytest.raises(UnknownArtifact):
        fetch(server.workers_address, token, hosts.roots, hosts.show("host-1"))


def test_its_token_opens_nothing_without_a_certificate_or_with_that_of_another_host(hosts, server, token):
    with pytest.raises(NotAllowed, match="only with a certificate, on the port for workers"):
        fetch(server.address, token, hosts.roots)
    with pytest.raises(NotAllowed, match="only with a certificate"):  # the other port asks for none
        fetch(server.address, token, hosts.roots, hosts.show("host-1"))
    with pytest.raises(NotAllowed, match="The token is for host-1, the certificate for host-2"):
        fetch(server.workers_address, token, hosts.roots, hosts.show("host-2"))


@pytest.mark.long
def test_nobody_speaks_at_that_port_without_a_certificate_of_that_authority(hosts, server, token):
    for own in (None, hosts.show("host-1", trustme.CA()), hosts.show("host-1", hosts.services)):
        with pytest.raises(ArenaUnreachable, match="wants TLS, or refuses the certificate that it was shown"):
            fetch(server.workers_address, token, hosts.roots, own)


@pytest.mark.long
def test_a_host_hears_why_it_does_not_believe_the_other_side(hosts, server, loop, token):
    own, another = hosts.show("host-1"), trustme.CA().cert_pem.bytes()
    with pytest.raises(ArenaUnreachable, match="no authority of MAUMAU_TLS_CA has signed its certificate"):
        fetch(server.workers_address, token, another, own)
    files = hosts.write("elsewhere", hosts.services.issue_cert("elsewhere.example"))

    async def start_elsewhere() -> Server:
        given = hosts.settings | {f"tls_{what}": path for what, path in files.items()}
        made = Server("toy", Settings(data=hosts.folder, **given))
        await made.start()
        return made

    made = loop.run(start_elsewhere())
    try:
        with pytest.raises(ArenaUnreachable, match="its certificate is not for the name in this address"):
            fetch(made.workers_address, token, hosts.roots, own)
    finally:
        loop.run(made.stop(0))


def test_a_service_may_ask_whose_a_token_is_and_nobody_else(hosts, server, token):
    def ask(*voucher: str) -> pb.WhoAmIResponse:
        metadata = [("authorization", f"Bearer {token}"), *((VOUCHER, each) for each in voucher)]
        with connect(server.address, roots=hosts.roots) as channel, rpc_errors():
            return RegistryServiceStub(channel).WhoAmI(pb.WhoAmIRequest(), metadata=metadata)

    assert ask(WORKER).host == "host-1"
    for others in ((), (token,), (ADMIN,)):
        with pytest.raises(NotAllowed, match="only with a certificate"):
            ask(*others)
    with pytest.raises(ArenaUnreachable, match="shows a token that nobody has"):
        ask("mm_a-guess-of-these-tests")


def test_everybody_else_is_served_as_before(hosts, server):
    for token in (ADMIN, WORKER):
        with pytest.raises(UnknownArtifact):
            fetch(server.address, token, hosts.roots)


def test_a_command_shows_the_certificate_that_it_is_told(hosts, server, token, monkeypatch):
    hosts.show("host-1")
    told = {"CA": "ca.pem", "CLIENT_CERT": "host-1.pem", "CLIENT_KEY": "host-1.key"}
    for what, file in told.items():
        monkeypatch.setenv(f"MAUMAU_TLS_{what}", str(hosts.folder / file))
    with call.open_channel(server.workers_address, tls=True) as channel, rpc_errors():
        stub = RegistryServiceStub(channel)
        who = stub.WhoAmI(
            pb.WhoAmIRequest(), timeout=patient(20), metadata=[("authorization", f"Bearer {token}")]
        )
    assert "worker" in who.scopes
    monkeypatch.setenv("MAUMAU_TLS_CLIENT_KEY", str(hosts.folder / "server.key"))
    with pytest.raises(BadFile, match=r"are not a certificate and its key in PEM \(KEY_VALUES_MISMATCH\)"):
        call.open_channel(server.workers_address, tls=True)
    monkeypatch.setenv("MAUMAU_TLS_CLIENT_KEY", str(hosts.folder / "no.key"))
    with pytest.raises(BadFile, match=r"no\.key cannot be read \(No such file or directory\)"):
        call.open_channel(server.workers_address, tls=True)
    monkeypatch.delenv("MAUMAU_TLS_CLIENT_KEY")
    with pytest.raises(BadFile, match="MAUMAU_TLS_CLIENT_KEY belong together: set both or neither"):
        call.open_channel(server.workers_address, tls=True)


@pytest.mark.parametrize(
    ("left_out", "words"),
    [
        ("listen_workers", "LISTEN_WORKERS and MAUMAU_TLS_WORKERS_CA belong together"),
        ("tls_workers_ca", "LISTEN_WORKERS and MAUMAU_TLS_WORKERS_CA belong together"),
        (
            "tls_cert tls_key",
            "needs the service's own certificate: set MAUMAU_TLS_CERT and MAUMAU_TLS_KEY",
        ),
    ],
)
def test_a_port_for_hosts_that_cannot_work_is_refused_before_the_start(hosts, left_out, words):
    given = {name: value for name, value in hosts.settings.items() if name not in left_out.split()}
    with pytest.raises(BadSetting, match=words):
        Server("toy", Settings(**given))


def test_that_port_may_have_a_certificate_of_its_own_and_the_other_speak_plain_text(hosts, loop):
    given = {name.replace("tls_c", "tls_workers_c").replace("tls_k", "tls_workers_k"): value
             for name, value in hosts.settings.items()}  # fmt: skip

    async def started() -> Server:
        made = Server("toy", Settings(data=hosts.folder, **given))
        await made.start()
        return made

    made = loop.run(started())
    try:
        with connect(made.workers_address, "", hosts.roots, hosts.show("host-1")) as channel:
            asked = health_pb2.HealthCheckRequest()
            health_pb2_grpc.HealthStub(channel).Check(asked, timeout=patient(10))
        assert is_well(made.address, patient(10))
    finally:
        loop.run(made.stop(0))
    for name in ("tls_workers_cert", "tls_workers_key"):
        with pytest.raises(BadSetting, match="TLS_WORKERS_CERT and MAUMAU_TLS_WORKERS_KEY belong together"):
            Server("toy", Settings(**{**given, name: ""}))
    with pytest.raises(BadSetting, match=r"MAUMAU_TLS_WORKERS_CERT and MAUMAU_TLS_WORKERS_KEY name them"):
        Server("toy", Settings(**{**given, "tls_workers_key": str(hosts.folder / "ca.pem")}))


def test_a_worker_says_before_it_begins_that_its_certificate_cannot_be_used(hosts):
    files, roots = hosts.write("odd", hosts.hosts.issue_cert("odd")), str(hosts.folder / "ca.pem")
    told = {f"tls_client_{what}": path for what, path in files.items()}
    for wrong, words in (
        (
            {"tls_client_cert": told["tls_client_cert"], "tls_ca": roots},
            "CERT and MAUMAU_TLS_CLIENT_KEY belong",
        ),
        (told, "only over TLS: set MAUMAU_TLS_CA, too"),
        (
            told | {"tls_client_key": roots, "tls_ca": roots},
            "MAUMAU_TLS_CLIENT_CERT and MAUMAU_TLS_CLIENT_KEY name",
        ),
        (
            told | {"tls_client_key": str(hosts.folder / "no.key"), "tls_ca": roots},
            r"no\.key cannot be read \(No such file or directory\); MAUMAU_TLS_CLIENT_CERT and",
        ),
    ):
        with pytest.raises(BadSetting, match=words):
            tls.own_certificate(Settings(**wrong))
