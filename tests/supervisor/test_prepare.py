"""python3 -m deploy.prepare: secrets, certificates and bundles for hosts, in a copy of deploy/."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from deploy import arena_env
from deploy.certificates import Refused, names_of
from deploy.prepare import check_name

ROOT = Path(__file__).parents[2]
EXAMPLE = arena_env.read(ROOT / "deploy/arena.env.example")
DOCKER = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/asked"
echo '{"token": "mm_of-this-host"}'
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="keys are given to other users")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the command needs of one, and a docker that gives a token."""
    shutil.copytree(
        ROOT / "deploy", tmp_path / "deploy", ignore=shutil.ignore_patterns("tls", "hosts", "arena.env")
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/docker").write_text(DOCKER)
    (tmp_path / "bin/docker").chmod(0o755)
    return tmp_path


def prepare(checkout: Path, *words: str, code: int = 0) -> str:
    """What it says, on both streams."""
    command = [sys.executable, "-m", "deploy.prepare", *words]
    env = {**os.environ, "PATH": f"{checkout / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["arena.example", "host-2", "10.0.0.1", "2001:db8::1", "x"])
def test_names_and_addresses_of_hosts_are_accepted(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "https://arena.example",
        "arena.example:7101",
        "a_b",
        "-a",
        "a..b",
        "",
        "ä",
        "../x",
        "registry",
        "a" * 61,
    ],
)
def test_other_names_are_refused_by_name(name: str) -> None:
    with pytest.raises(Refused, match="name"):
        check_name(name)


@as_root
def test_an_arena_is_prepared_once_and_stays_as_it_is(checkout: Path) -> None:
    said = prepare(checkout, "arena", "arena.example")
    assert "written, with fresh secrets" in said
    given = arena_env.read(checkout / "deploy/arena.env")
    assert set(given) == set(EXAMPLE) | set(arena_env.ADDED)
    assert {"arena.example", "registry"} < names_of(checkout / "deploy/tls/cert.pem")
    owners = {
        path.name: (path.stat().st_uid, path.stat().st_mode & 0o777)
        for path in (checkout / "deploy/tls").iterdir()
    }
    assert (owners["key.pem"], owners["broker.key"]) == ((10001, 0o400), (999, 0o400))
    assert (checkout / "deploy/arena.env").stat().st_mode & 0o777 == 0o600
    before = contents(checkout)
    assert "written" not in prepare(checkout, "arena", "arena.example")
    assert "is that of the host arena.example" in prepare(checkout, "arena", "other.example", code=1)
    assert {name: each for name, each in contents(checkout).items() if "__pycache__" not in name} == {
        name: each for name, each in before.items() if "__pycache__" not in name
    }


@as_root
def test_a_host_gets_its_token_certificate_and_files_in_one_tar(checkout: Path) -> None:
    assert "there is no arena here yet" in prepare(checkout, "host", "host-2", code=1)
    prepare(checkout, "arena", "arena.example")
    prepare(checkout, "host", "host-2")
    with tarfile.open(checkout / "deploy/hosts/host-2.tar") as tar:
        found = {member.name: member for member in tar.getmembers() if member.isfile()}
        tar.extractall(checkout / "there", filter="data")
    files = (
        "host/ca.pem",
        "host/cert.pem",
        "host/key.pem",
        "worker-host.env",
        "worker-host.yml",
        "worker-seccomp.json",
    )
    assert sorted(found) == [f"maumau-host-2/{name}" for name in files]
    key = found["maumau-host-2/host/key.pem"]
    assert (key.uid, key.gid, key.mode & 0o777) == (10001, 10001, 0o400)
    told = arena_env.read(checkout / "there/maumau-host-2/worker-host.env")
    assert (told["HOST_TOKEN"], told["ARENA_HOST"]) == ("mm_of-this-host", "arena.example")
    assert told["BROKER_PASSWORD"] == arena_env.read(checkout / "deploy/arena.env")["BROKER_PASSWORD"]
    assert "is there" in prepare(checkout, "host", "host-2")
    assert len((checkout / "bin/asked").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"STATE_PASSWORD": ""}, "STATE_PASSWORD is empty."),
        (
            {"STATE_PASSWORD": "x", "BROKER_PASSWORD": "x"},
            "are the same, and each must be a secret of its own.",
        ),
        ({"GRAFANA_PORT": "9090"}, "PROMETHEUS_PORT and GRAFANA_PORT are both 9090."),
        ({"MAUMAU_REGISTRATON": "open"}, "MAUMAU_REGISTRATION is."),
        ({"MAUMAU_REGISTRATION": "yes"}, "is open or closed, and not yes."),
        ({"WORKERS": "999"}, "WORKERS is 999, and this host has only"),
        ({"HOST_TOKEN": "mm_x"}, "COMPOSE_FILE lacks deploy/own-workers.yml."),
        (
            {"COMPOSE_FILE": "docker-compose.yml:deploy/host-certificates.yml"},
            "needs deploy/tls.yml before it.",
        ),
        ({"COMPOSE_FILE": ":".join((*arena_env.FILES, arena_env.OWN_WORKERS))}, "HOST_TOKEN is empty."),
    ],
)
def test_settings_that_contradict_each_other_get_a_sentence(changed: dict[str, str], sentence: str) -> None:
    given = EXAMPLE | arena_env.arena_settings(ROOT / "deploy/arena.env.example", "arena.example")
    assert arena_env.contradictions(given, EXAMPLE) == []
    (said,) = arena_env.contradictions(given | changed, EXAMPLE)
    assert sentence in said
