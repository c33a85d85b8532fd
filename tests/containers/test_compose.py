"""docker-compose.yml as it stands, started by a Docker engine: `make containers`."""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import trustme

from bench.patience import Deadline
from maumau.bot import package
from maumau.cli import export
from maumau.client import Arena
from maumau.errors import ArenaUnreachable
from tests.containers import engine
from tests.containers.engine import CannotBeHad

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]
FILES = ("docker-compose.yml", "tests/containers/compose.yml")
SECRETS = ("POSTGRES_PASSWORD", "STATE_PASSWORD", "BROKER_PASSWORD", "MAUMAU_ADMIN_TOKEN",
           "MAUMAU_WORKER_TOKEN", "MAUMAU_READER_TOKEN")  # fmt: skip
PROFILES = ((), ("--profile", "backup"), ("--profile", "prometheus"), ("--profile", "grafana"))
OWNER = 10001  # the user of the image
PORTS = ("REGISTRY", "TOURNAMENT", "ENGINE", "MATCHMAKING", "WEB")
NEEDED = ("redis-broker", "tournament", "postgres", "registry")  # to play
RESTARTED = (*NEEDED, "redis-state", "engine", "matchmaking", "web")
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
        self.ports = {name: _free_port() for name in PORTS}
        told |= {f"MAUMAU_{name}_PORT": str(port) for name, port in self.ports.items()}
        told |= {"MAUMAU_REGISTRATION": "closed", "SERVICE_CPUS": "1", "POSTGRES_CPUS": "1"}
        self.backups = folder / "backups"
        self.backups.mkdir()
        os.chown(self.backups, OWNER, OWNER)
        told |= {"BACKUPS": str(self.backups)}
        told |= {f"{name}_PORT": str(_free_port()) for name in ("PROMETHEUS", "GRAFANA")}
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

    def docker(self, *words: str) -> str:
        """What the engine says."""
        return engine.run("docker", *words, **self._env)

    def add_file(self, name: str) -> None:
        """Another file of the project, from now on."""
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


def wait_until_over(admin: Arena) -> None:
    deadline = Deadline(600)
    while admin.tournament("cup").state != "finished":
        assert not deadline.has_passed(), admin.tournament("cup")
        time.sleep(0.5)


def test_with_certificates_services_and_authors_speak_tls(containers, tmp_path, monkeypatch):
    authority = trustme.CA()
    made = authority.issue_cert("registry", "tournament", "engine", "matchmaking", "localhost")
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    made.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    made.cert_chain_pems[0].write_to_path(str(tmp_path / "cert.pem"))
    for path in (tmp_path, *tmp_path.iterdir()):
        path.chmod(0o755)
    monkeypatch.setenv("TLS_FOLDER", str(tmp_path))
    containers.add_file("deploy/tls.yml")
    containers.up()
    monkeypatch.setenv("MAUMAU_TLS_CA", str(tmp_path / "ca.pem"))
    addresses = (f"localhost:{containers.ports[name]}" for name in ("REGISTRY", "TOURNAMENT"))
    with Arena(*addresses, containers.admin, tls=True, patience=900) as admin:
        assert admin.who().scopes
        assert all(worker.name for worker in admin.workers())
        admin.info()
    with containers.connect(containers.admin, patience=2) as plain, pytest.raises(ArenaUnreachable):
        plain.who()
