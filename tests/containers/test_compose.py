"""docker-compose.yml as it stands, started by a Docker engine: `make containers`."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme

from bench.patience import Deadline
from maumau.bot import package
from maumau.cli import export
from maumau.client import Arena
from maumau.errors import ArenaUnreachable, NotAllowed
from tests.containers import engine
from tests.containers.engine import CannotBeHad

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]
FILES = ("docker-compose.yml", "tests/containers/compose.yml")
SECRETS = ("POSTGRES_PASSWORD", "STATE_PASSWORD", "BROKER_PASSWORD", "MAUMAU_ADMIN_TOKEN",
           "MAUMAU_WORKER_TOKEN", "MAUMAU_READER_TOKEN")  # fmt: skip
PROFILES = ((), ("--profile", "backup"), ("--profile", "prometheus"), ("--profile", "grafana"))
OWNER = 10001  # the user of the image
REDIS = 999
PORTS = ("REGISTRY", "TOURNAMENT", "ENGINE", "MATCHMAKING", "WEB")
WORKERS_PORTS = ("REGISTRY_WORKERS", "TOURNAMENT_WORKERS")
HOSTS = ("host-1", "host-2")
NEEDED = ("redis-broker", "tournament", "postgres", "registry")  # to play
RESTARTED = (*NEEDED, "redis-state", "engine", "matchmaking", "web")
ANOTHER = """
services:
  worker: {image: maumau-containers-arena, extra_hosts: ["arena.test:host-gateway"]}
"""
BOTS = ("first", "greedy", "counter", "hoarder")
SPEC = """
name = "cup"
rules = "mau_mau"
[entries]
per_account = 4
[[stage]]
format = "round_robin"
[match]
block = 20
cap = 600
"""


class Containers:
    """The arena of the compose file, under names and on ports of its own."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        told = {name: f"mm_{secrets.token_urlsafe(24)}" for name in SECRETS}
        self.ports = {name: _free_port() for name in (*PORTS, *WORKERS_PORTS)}
        told |= {f"MAUMAU_{name}_PORT": str(port) for name, port in self.ports.items()}
        told |= {"MAUMAU_REGISTRATION": "closed", "SERVICE_CPUS": "1", "POSTGRES_CPUS": "1"}
        self.backups = folder / "backups"
        self.backups.mkdir()
        os.chown(self.backups, OWNER, OWNER)
        told |= {"BACKUPS": str(self.backups), "HOST_TOKEN": "made later, by the test that needs it"}
        told |= {f"{name}_PORT": str(_free_port()) for name in ("PROMETHEUS", "GRAFANA", "BROKER")}
        self.told = told
        path = folder / "arena.env"
        path.write_text("".join(f"{name}={value}\n" for name, value in told.items()))
        files = [word for name in FILES for word in ("--file", str(ROOT / name))]
        self.project = f"maumau-containers-{os.getpid()}"
        project = ["--project-directory", str(ROOT), "--project-name", self.project]
        self._compose = [*engine.compose(env), "--env-file", str(path), *files, *project]
        self._env, self.admin = env, told["MAUMAU_ADMIN_TOKEN"]

    def __call__(self, *words: str) -> str:
        """What compose says."""
        return engine.run(*self._compose, *words, seconds=900, **self._env)

    @contextmanager
    def another_host(self, folder: Path, **told: str) -> Iterator[None]:
        """Workers of deploy/worker-host.yml, which find this arena under the name `arena.test`."""
        ports = [*(f"MAUMAU_{name}_PORT" for name in WORKERS_PORTS), "BROKER_PORT", "BROKER_PASSWORD"]
        told |= {name: self.told[name] for name in ports} | {"ARENA_HOST": "arena.test"} | self._env
        (folder / "here.yml").write_text(ANOTHER)
        files = [ROOT / "deploy/worker-host.yml", folder / "here.yml"]
        words = [*engine.compose(self._env), "--project-name", f"{self.project}-host"]
        words += [word for file in files for word in ("--file", str(file))]
        try:
            engine.run(*words, "up", "--detach", "--wait", seconds=300, **told)
            yield
        finally:
            engine.run(*words, "down", "--volumes", "--timeout", "20", seconds=300, **told)

    def docker(self, *words: str) -> str:
        """What the engine says."""
        return engine.run("docker", *words, **self._env)

    def add_file(self, name: str) -> None:
        """Another file of the project, from now on."""
        if str(ROOT / name) not in self._compose:
            self._compose += ["--file", str(ROOT / name)]

    def up(self) -> None:
        """Starts what does not run, and returns when all of it is healthy."""
        try:
            self("up", "--detach", "--wait", "--wait-timeout", "600", "--scale", "worker=2")
        except CannotBeHad as error:
            pytest.fail(f"{error}\n{self('ps', '--all')}\n{self('logs', '--tail', '12')}", pytrace=False)

    def connect(self, token: str, patience: float = 900) -> Arena:
        registry, tournament = (f"127.0.0.1:{self.ports[name]}" for name in ("REGISTRY", "TOURNAMENT"))
        return Arena(registry, tournament, token, patience=patience)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def containers(tmp_path_factory, not_tested) -> Iterator[Containers]:
    """All services, healthy; nothing of them is left behind."""
    with ExitStack() as stack:
        try:
            env = stack.enter_context(engine.running(install=bool(os.environ.get("MAUMAU_CONTAINERS"))))
            engine.build_base(env)
            arena = Containers(tmp_path_factory.mktemp("containers"), env)
        except CannotBeHad as error:
            not_tested("the compose file in containers", str(error))
        stack.callback(arena, "down", "--volumes", "--timeout", "20")
        arena("build")
        arena.up()
        yield arena


def test_a_tournament_outlives_the_restart_of_every_service_and_its_export_verifies(containers, tmp_path):
    with containers.connect(containers.admin) as admin:
        author = admin.create_account("house").token
        with containers.connect(author) as house:
            admit(house)
        admin.create(SPEC)
        admin.open("cup")
        for name in BOTS:
            admin.enter("cup", name)
        admin.start("cup")
        wait_for_a_block(admin)
        containers("kill", "--signal", "SIGKILL", "worker")
        containers.up()
        cut_off_a_worker(containers, admin)
        states = []
        for name in RESTARTED:
            states.append(admin.tournament("cup").state)
            containers("restart", "--timeout", "15", name)
        assert states[: len(NEEDED)] == ["running"] * len(NEEDED)
        containers.up()
        wait_until_over(admin)
        path = tmp_path / "cup.export.jsonl"
        export.to_file(admin.export("cup"), path)
    engine.run(sys.executable, "-m", "maumau.cli", "verify", str(path))


def cut_off_a_worker(containers, admin: Arena) -> None:
    """Until the other one has played what it held; then it finds back by itself."""
    name, network = f"{containers.project}-worker-1", f"{containers.project}_play"
    host = containers.docker("inspect", "--format", "{{.Config.Hostname}}", name).strip()
    deadline = Deadline(300)
    while not deadline.has_passed():
        containers.docker("network", "disconnect", network, name)
        held = [block.id for block in blocks(admin) if block.state == "claimed" and host in block.worker]
        while held and not deadline.has_passed():
            block = next(block for block in blocks(admin) if block.id == held[0])
            if block.state == "done":
                break
            deadline.pause()
        containers.docker("network", "connect", network, name)
        if held and host not in block.worker:
            return  # else its report was under way when it was cut off
    pytest.fail("no block was taken over from the worker that was cut off")


def blocks(admin: Arena) -> list[Any]:
    """All of the cup."""
    labels = [match.label for match in admin.matches("cup")]
    return [block for label in labels for block in admin.match("cup", label).blocks]


def test_every_profile_of_the_compose_file_can_be_read(containers):
    services = [set(containers(*profile, "config", "--services").split()) for profile in PROFILES]
    assert [sorted(more - services[0]) for more in services[1:]] == [
        ["backup"], ["prometheus"], ["grafana", "prometheus"],
    ]  # fmt: skip


def test_a_backup_of_the_containers_is_whole(containers):
    backup = ("--profile", "backup", "run", "--rm", "backup")
    made = [containers(*backup) for _ in range(2)]
    assert all("backup " in words for words in made)
    listed = containers(*backup, "maumau", "admin", "backups", "/backups", "--check", "--json")
    found = json.loads(next(line for line in listed.splitlines() if line.startswith('{"backups"')))["backups"]
    assert [each["whole"] for each in found] == [True, True]


@pytest.mark.parametrize("name", ["prometheus", "grafana"])
def test_what_watches_the_arena_starts(containers, name, not_tested):
    try:
        containers("--profile", "grafana", "pull", name)
    except CannotBeHad as error:
        not_tested(f"the container {name}", f"its image cannot be pulled ({str(error).splitlines()[-1]})")
    containers("--profile", "grafana", "up", "--detach", "--wait", name)


def admit(house: Arena) -> None:
    """The bots are validated by the workers and may play."""
    for name in BOTS:
        house.submit(name, package.pack_submission(ROOT / "maumau/bots" / name).archive)
    deadline = Deadline(300)
    while not all(bot.versions[0].settled for bot in house.bots(mine=True)):
        assert not deadline.has_passed(), house.bots(mine=True)
        time.sleep(0.5)
    for bot in house.bots(mine=True):
        assert house.activate(bot.versions[0].id).state == "active"


def wait_for_a_block(admin: Arena) -> None:
    deadline = Deadline(120)
    while not any(match.sets for match in admin.matches("cup")):
        assert not deadline.has_passed(), admin.tournament("cup")
        time.sleep(0.2)


def wait_until_over(admin: Arena, name: str = "cup") -> None:
    deadline = Deadline(600)
    while admin.tournament(name).state != "finished":
        assert not deadline.has_passed(), admin.tournament(name)
        time.sleep(0.5)


def write_pair(folder: Path, made: trustme.LeafCert) -> None:
    """A certificate and its key, as files that the user of the image may read."""
    folder.mkdir(exist_ok=True)
    made.private_key_pem.write_to_path(str(folder / "key.pem"))
    made.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
    (folder / "key.pem").chmod(0o400)
    for path in (folder, *folder.iterdir()):
        os.chown(path, OWNER, OWNER)


@pytest.fixture
def services(tmp_path, monkeypatch) -> Path:
    """The folder that tls.yml mounts."""
    authority, folder = trustme.CA(), tmp_path / "tls"
    names = ("registry", "tournament", "engine", "matchmaking", "localhost", "arena.test")
    write_pair(folder, authority.issue_cert(*names))
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    tmp_path.chmod(0o755)
    monkeypatch.setenv("TLS_FOLDER", str(folder))
    monkeypatch.setenv("MAUMAU_TLS_CA", str(folder / "ca.pem"))
    return folder


def connect_tls(containers) -> Arena:
    addresses = (f"localhost:{containers.ports[name]}" for name in ("REGISTRY", "TOURNAMENT"))
    return Arena(*addresses, containers.admin, tls=True, patience=900)


def test_with_certificates_services_and_authors_speak_tls(containers, services):
    containers.add_file("deploy/tls.yml")
    containers.up()
    with connect_tls(containers) as admin:
        assert admin.who().scopes
        assert all(worker.name for worker in admin.workers())
        admin.info()
    with containers.connect(containers.admin, patience=2) as plain, pytest.raises(ArenaUnreachable):
        plain.who()


def test_hosts_of_workers_show_certificates_and_play_from_elsewhere(
    containers, services, tmp_path, monkeypatch
):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(services / "workers.pem"))
    shutil.copy(services / "key.pem", services / "broker.key")
    os.chown(services / "broker.key", REDIS, REDIS)
    for host in HOSTS:
        write_pair(tmp_path / host, authority.issue_cert(host))
        shutil.copy(services / "ca.pem", tmp_path / host)
    containers.add_file("deploy/tls.yml")
    containers.up()
    with connect_tls(containers) as admin:
        tokens = {host: admin.create_token(scopes=("worker",), label=host).token for host in HOSTS}
        monkeypatch.setenv("HOST_TOKEN", tokens["host-1"])
        monkeypatch.setenv("HOST_FOLDER", str(tmp_path / "host-1"))
        containers.add_file("deploy/host-certificates.yml")
        containers.up()
        with pytest.raises(NotAllowed, match="only with a certificate"):
            admin.with_token(tokens["host-1"]).who()
        assert play(admin, "of-host-1") == {"host-1"}
        containers("stop", "worker")
        there = {"HOST_TOKEN": tokens["host-2"], "HOST_FOLDER": str(tmp_path / "host-2")}
        with containers.another_host(tmp_path, **there):
            assert play(admin, "of-host-2") == {"host-2"}


def play(admin: Arena, name: str) -> set[str]:
    """The hosts that played a small cup; the house's bots are admitted where no test before has done it."""
    if not admin.bots():
        admit(admin.with_token(admin.create_account("house").token))
    admin.create(SPEC.replace('"cup"', f'"{name}"').replace("600", "20"))
    admin.open(name)
    for bot in BOTS[:2]:
        admin.enter(name, bot)
    admin.start(name)
    wait_until_over(admin, name)
    played = [block for match in admin.matches(name) for block in admin.match(name, match.label).blocks]
    return {block.worker.partition("/")[0] for block in played if block.worker}
