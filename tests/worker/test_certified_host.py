"""Real processes: a host's workers play at the ports where they show its certificate, and nowhere else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
import trustme

from bench.support.checkout import ROOT
from bench.support.patience import patient
from deploy.arena_env import OWN_HOST
from maumau.client.arena import Arena as Client
from maumau.errors import NotAllowed
from services.worker.app import NOT_ALLOWED
from tests.support.arenas.ready import ADMIN, WORKER, admit_bots
from tests.support.polling import until

pytestmark = pytest.mark.long

SPEC = """
name = "{name}"
rules = "mau_mau"
[entries]
per_account = 2
[[stage]]
format = "round_robin"
[match]
block = 5
cap = 10
"""
BOTS = ("first", "greedy")
HOST = "host-1"
OWN_TOKEN = "mm_of-the-host-in-the-settings"


class Hosts:
    """A registry and a tournament service with both ports each, and their two authorities.

    tls: whether the first ports speak it, too, as in compose, or the second ones alone, as on a cluster.
    """

    def __init__(self, folder: Path, redis: str, broker: str, *, tls: bool) -> None:
        self.folder, self.redis, self.broker, self.tls = folder, redis, broker, tls
        self.services, self.hosts = trustme.CA(), trustme.CA()
        self.services.cert_pem.write_to_path(str(folder / "ca.pem"))
        self.hosts.cert_pem.write_to_path(str(folder / "workers.pem"))
        self.issue("server", self.services.issue_cert("127.0.0.1"))

    def issue(self, name: str, made: trustme.LeafCert) -> None:
        made.cert_chain_pems[0].write_to_path(str(self.folder / f"{name}.pem"))
        made.private_key_pem.write_to_path(str(self.folder / f"{name}.key"))

    def env(self, **told: str) -> dict[str, str]:
        return {**os.environ, **{f"MAUMAU_{name}": value for name, value in told.items()}}

    @contextmanager
    def serving(self, name: str, workers_port: int, **told: str) -> Iterator[str]:
        """Yield the address for everybody but hosts."""
        said = self.folder / f"{name}.address"
        pair = "TLS" if self.tls else "TLS_WORKERS"
        files = {f"{pair}_CERT": "server.pem", f"{pair}_KEY": "server.key", "TLS_WORKERS_CA": "workers.pem"}
        files |= {"TLS_CA": "ca.pem"} if self.tls else {}
        env = self.env(
            DATA=str(self.folder / "data"), REDIS_URL=self.redis, BROKER_URL=self.broker, ADMIN_TOKEN=ADMIN,
            WORKER_TOKEN=WORKER, READY_FILE=str(said), LISTEN_WORKERS=f"127.0.0.1:{workers_port}",
            LEASE="6", SWEEP="0.3",
            **{setting: str(self.folder / file) for setting, file in files.items()}, **told,
        )  # fmt: skip
        process = subprocess.Popen([sys.executable, "-m", f"services.{name}"], cwd=ROOT, env=env)
        try:
            until(f"the {name} service listens", said.exists)
            yield str(json.loads(said.read_text())["address"])
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(patient(20))

    @contextmanager
    def working(self, registry: str, tournament: str, token: str, shown: str = HOST) -> Iterator[Worker]:
        """Yield a worker; shown: the name of the files of its certificate."""
        log, data = self.folder / f"{shown}.log", self.folder / f"data of {shown}"
        env = self.env(
            DATA=str(data), BROKER_URL=self.broker, WORKER_TOKEN=token, IMAGE="optional", SANDBOX="auto",
            REGISTRY_ADDRESS=registry, TOURNAMENT_ADDRESS=tournament, TLS_CA=str(self.folder / "ca.pem"),
            TLS_CLIENT_CERT=str(self.folder / f"{shown}.pem"),
            TLS_CLIENT_KEY=str(self.folder / f"{shown}.key"),
        )  # fmt: skip
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "services.worker"], cwd=ROOT, env=env, stdout=out, stderr=out
            )
        try:
            yield Worker(process, log)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(patient(20))


class Worker(NamedTuple):
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def last_words(self) -> str:
        """Of a worker that ends by itself."""
        assert self.process.wait(patient(60)) == 1, self.log.read_text()
        return self.log.read_text()


@pytest.fixture(scope="module", params=["compose", "cluster"])
def hosts(request: pytest.FixtureRequest, valkey: str, tmp_path_factory: pytest.TempPathFactory) -> Hosts:
    folder = tmp_path_factory.mktemp("hosts")
    made = Hosts(folder, f"{valkey}/11", f"{valkey}/12", tls=request.param == "compose")
    admit_bots(folder / "data", made.broker, bots=[ROOT / "maumau/bots" / name for name in BOTS])
    return made


class Arena(NamedTuple):
    """Addresses of the two services: for everybody, and for hosts."""

    first: tuple[str, str]
    second: tuple[str, str]
    admin: Client


@pytest.fixture(scope="module")
def arena(hosts: Hosts, free_port: Callable[[], int]) -> Iterator[Arena]:
    ports = free_port(), free_port()
    with ExitStack() as stack:
        own = {"HOST_TOKEN": OWN_TOKEN, "HOST_NAME": OWN_HOST}
        registry = stack.enter_context(hosts.serving("registry", ports[0], **own))
        told = {"REGISTRY_ADDRESS": registry}
        tournament = stack.enter_context(hosts.serving("tournament", ports[1], **told))
        env = stack.enter_context(pytest.MonkeyPatch.context())
        env.setenv("MAUMAU_TLS_CA", str(hosts.folder / "ca.pem"))
        admin = stack.enter_context(Client(registry, tournament, ADMIN, tls=hosts.tls))
        yield Arena((registry, tournament), (f"127.0.0.1:{ports[0]}", f"127.0.0.1:{ports[1]}"), admin)


@pytest.fixture(scope="module")
def token(hosts: Hosts, arena: Arena) -> str:
    """Return the token of the host, which has its certificate, too."""
    hosts.issue(HOST, hosts.hosts.issue_cert(HOST))
    return arena.admin.create_token(scopes=("worker",), label=HOST).token


def begin(arena: Arena, name: str) -> None:
    arena.admin.create(SPEC.format(name=name))
    arena.admin.open(name)
    for bot in BOTS:
        arena.admin.enter(name, bot)
    arena.admin.start(name)


def test_a_worker_plays_with_the_certificate_of_its_host(hosts, arena, token):
    begin(arena, "cup")
    with hosts.working(*arena.second, token) as worker:
        until("the cup is over", lambda: arena.admin.tournament("cup").over or worker.process.poll(), 60)
        (match,) = arena.admin.matches("cup")
        played = {block.worker.partition("/")[0] for block in arena.admin.match("cup", match.label).blocks}
        assert played == {HOST}, worker.log.read_text()


def test_the_workers_beside_the_services_play_with_the_token_of_the_settings(hosts, arena):
    hosts.issue(OWN_HOST, hosts.hosts.issue_cert(OWN_HOST))
    begin(arena, "own")
    with hosts.working(*arena.second, OWN_TOKEN, OWN_HOST) as worker:
        until("the cup is over", lambda: arena.admin.tournament("own").over or worker.process.poll(), 60)
        (match,) = arena.admin.matches("own")
        played = {block.worker.partition("/")[0] for block in arena.admin.match("own", match.label).blocks}
        assert played == {OWN_HOST}, worker.log.read_text()
    with pytest.raises(NotAllowed, match=r"certificate|scope"):
        arena.admin.with_token(OWN_TOKEN).cancel("own")


def test_a_worker_that_is_not_let_in_ends_and_says_why(hosts, arena, token):
    """With the certificate of another host, and at the ports that ask for none."""
    hosts.issue("host-2", hosts.hosts.issue_cert("host-2"))
    begin(arena, "waiting")
    tried = [(arena.second, "host-2", "The token is for host-1, the certificate for host-2.")]
    if hosts.tls:  # else it gets no answer there, since it speaks TLS
        tried.append((arena.first, HOST, "only with a certificate, on the port for workers"))
    for addresses, shown, words in tried:
        with hosts.working(*addresses, token, shown) as worker:
            said = worker.last_words
        assert words in said
        assert said.endswith(NOT_ALLOWED)
    arena.admin.cancel("waiting")
