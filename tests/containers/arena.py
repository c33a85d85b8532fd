"""The arena of deploy/README.md: its commands as they stand there, under names and on ports of this run."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy import arena_env
from maumau.build import describe_build
from maumau.client.arena import Arena
from tests.containers import engine
from tests.containers.engine import CannotBeHad

ROOT = Path(__file__).parents[2]
IMAGE = "maumau-containers-arena"
HOST = "arena.test"
ENV_FILE = ("--env-file", "deploy/arena.env")
PORTS = ("ENGINE", "MATCHMAKING", "WEB")
RANGES = ("REGISTRY", "TOURNAMENT", "REGISTRY_WORKERS", "TOURNAMENT_WORKERS")
"""Of these two replicas run at once."""
WORKERS_PORTS = (("registry", "7111"), ("tournament", "7112"))
REPLICAS = 2
SSH = """#!/bin/sh
# the other host is a folder of this one
shift
export COMPOSE_FILE="worker-host.yml:$OTHER_HOST/here.yml" COMPOSE_PROJECT_NAME="$OTHER_PROJECT"
cd "$OTHER_HOST" && exec sh -c "$*"
"""
THERE = f"""
services:
  worker: {{image: {IMAGE}, extra_hosts: ["{HOST}:host-gateway"]}}
"""


def read_commands(heading: str) -> str:
    """Return the block of commands below this heading of the page."""
    text = (ROOT / "deploy/README.md").read_text()
    (found,) = re.findall(rf"^#+ {heading}\n(.*?)(?=^#+ |\Z)", text, re.MULTILINE | re.DOTALL)
    (block,) = re.findall(r"^```sh\n(.*?)^```", found, re.MULTILINE | re.DOTALL)
    return block


class Containers:
    """A copy of the checkout, in which the commands are given."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder, self.there = folder / "arena", folder / "host-2"
        _copy_checkout(self.folder)
        (self.folder / arena_env.IMAGES).write_text("services: {}\n")  # all are built here
        self.project = f"maumau-containers-{os.getpid()}"
        build = describe_build()
        self.build = {"VERSION": build.version, "COMMIT": build.commit, "RULES_HASH": build.rules_hash}
        self.env = {**env, **engine.find_compose(env, folder / "docker"), **self.build, **_ports()}
        self.env |= {
            "COMPOSE_PROJECT_NAME": self.project,
            "WORKERS": "2",
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        }
        self.env |= {"OTHER_HOST": str(self.there), "OTHER_PROJECT": f"{self.project}-host"}
        self.use(*arena_env.COMPOSE_FILES)
        self.env["COMPOSE_PROFILES"] = "nightly"
        self.there.mkdir()
        (self.there / "here.yml").write_text(THERE)
        (folder / "bin").mkdir()
        (folder / "bin/ssh").write_text(SSH)
        (folder / "bin/ssh").chmod(0o755)
        self._names = {
            "arena.example": HOST, "maumau-arena:latest": IMAGE, "maumau_": f"{self.project}_",
            "worker=4": "worker=1",
        }  # fmt: skip

    def use(self, *files: str) -> None:
        """Use these files of compose, with changes for images that are built on this host."""
        self.env["COMPOSE_FILE"] = ":".join((*files, "tests/containers/compose.yml"))

    def follow(self, heading: str, **env: str) -> str:
        """Gives the commands of the page; what they say."""
        commands = read_commands(heading)
        for word, own in self._names.items():
            commands = commands.replace(word, own)
        return engine.run("sh", "-ec", commands, seconds=1800, cwd=self.folder, **(self.env | env))

    def __call__(self, *words: str, **env: str) -> str:
        """Return the output of compose."""
        told = self.env | env
        return engine.run("docker", "compose", *ENV_FILE, *words, seconds=900, cwd=self.folder, **told)

    def docker(self, *words: str) -> str:
        """Return the output of the container engine."""
        return engine.run("docker", *words, **self.env)

    def up(self, *words: str) -> None:
        """Starts what does not run, and returns when all of it is healthy."""
        try:
            self("up", "--detach", "--wait", "--wait-timeout", "900", *words)
        except CannotBeHad as error:
            pytest.fail(f"{error}\n{self('ps', '--all')}\n{self('logs', '--tail', '12')}", pytrace=False)

    @property
    def settings(self) -> dict[str, str]:
        """The settings written by the page's first command."""
        return arena_env.read_settings(self.folder / "deploy/arena.env")

    def port(self, name: str, inside: str) -> str:
        """Return the port of this host where a replica's port can be reached now."""
        return self("port", name, inside).strip().rpartition(":")[2]

    def connect(self, *, tls: bool = True, patience: float = 900) -> Arena:
        """Connect as admin to any replica that answers on this host's ports now."""
        ports = (self.port("registry", "7101"), self.port("tournament", "7102"))
        return Arena(
            *(f"localhost:{port}" for port in ports),
            self.settings["MAUMAU_ADMIN_TOKEN"],
            tls=tls,
            patience=patience,
        )

    @contextmanager
    def another_host(self) -> Iterator[None]:
        """Workers of the page's other host, which find this arena under its name."""
        at = {f"MAUMAU_{name.upper()}_WORKERS_PORT": self.port(name, port) for name, port in WORKERS_PORTS}
        try:
            self.follow("Another host of workers", **at)
            yield
        finally:
            env = self.env | {"COMPOSE_FILE": "worker-host.yml:../here.yml"}
            words = (
                "--project-name",
                env["OTHER_PROJECT"],
                "--env-file",
                "worker-host.env",
                "down",
                "--volumes",
            )
            engine.run("docker", "compose", *words, cwd=self.there / "maumau-host-2", **env)


def _copy_checkout(folder: Path) -> None:
    """Copy the tracked and untracked files of the checkout, without ignored ones."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def _ports() -> dict[str, str]:
    told = {f"MAUMAU_{name}_PORT": str(_free_ports(1)) for name in PORTS}
    for name in RANGES:
        first = _free_ports(REPLICAS)
        told[f"MAUMAU_{name}_PORT"] = f"{first}-{first + REPLICAS - 1}"
    return told | {f"{name}_PORT": str(_free_ports(1)) for name in ("PROMETHEUS", "GRAFANA", "BROKER")}


_given = iter(range(23000, 32000, REPLICAS))


def _free_ports(count: int) -> int:
    """Return the first of `count` free ports in a row, below the range that the system assigns."""
    return next(first for first in _given if all(_is_free(first + more) for more in range(count)))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
