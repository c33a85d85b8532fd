"""python3 -m deploy.prepare: secrets, certificates and archives for hosts, in a copy of deploy/."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from deploy import arena_env
from deploy.certificates import PreparationError, is_signed_by, openssl, read_names
from deploy.prepare import check_name

ROOT = Path(__file__).parents[2]
EXAMPLE = arena_env.read_settings(ROOT / "deploy/arena.env.example")
DOCKER = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/asked"
echo '{"token": "mm_of-this-host"}'
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="keys are given to other users")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return the parts of a checkout that the command needs, and a docker that gives a token."""
    shutil.copytree(
        ROOT / "deploy", tmp_path / "deploy", ignore=shutil.ignore_patterns("tls", "host", "hosts", "*.env")
    )
    shutil.copy(ROOT / "docker-compose.yml", tmp_path)
    (tmp_path / arena_env.IMAGES).write_text("services: {}\n")  # pinning has its own tests
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/docker").write_text(DOCKER)
    (tmp_path / "bin/docker").chmod(0o755)
    return tmp_path


def prepare(checkout: Path, *words: str, code: int = 0) -> str:
    """Return the command's output on both streams."""
    command = [sys.executable, "-m", "deploy.prepare", *words]
    env = {**os.environ, "PATH": f"{checkout / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["arena.example", "host-2", "10.0.0.1", "x"])
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
        "LOCALHOST",
        "999.1.1.1",
        "2001:db8::1",
        "ho\u017ft",
        "a" * 61,
    ],
)
def test_other_names_are_refused_by_name(name: str) -> None:
    with pytest.raises(PreparationError, match="name"):
        check_name(name)


@pytest.mark.long
@as_root
def test_an_arena_is_prepared_once_and_stays_as_it_is(checkout: Path) -> None:
    said = prepare(checkout, "arena", "arena.example")
    assert "written, with fresh secrets" in said
    given = arena_env.read_settings(checkout / "deploy/arena.env")
    assert set(given) == set(EXAMPLE) | set(arena_env.ADDED)
    assert given["MAUMAU_SERVICES_URL"] == "https://arena.example:7101,7102,7103,7104"
    assert {"arena.example", "registry"} < read_names(checkout / "deploy/tls/cert.pem")
    owners = {
        path.name: (path.stat().st_uid, path.stat().st_mode & 0o777)
        for path in (checkout / "deploy/tls").iterdir()
    }
    assert (owners["key.pem"], owners["broker.key"]) == ((10001, 0o400), (999, 0o400))
    assert (checkout / "deploy/arena.env").stat().st_mode & 0o777 == 0o600
    host = checkout / "deploy/host"
    modes = {path.name: (path.stat().st_uid, path.stat().st_mode & 0o777) for path in host.iterdir()}
    assert modes == {"cert.pem": (0, 0o644), "key.pem": (10001, 0o400)}
    assert is_signed_by(host / "cert.pem", checkout / "deploy/tls/workers.pem")
    subject = openssl("x509", "-in", str(host / "cert.pem"), "-noout", "-subject")
    assert subject.replace(" ", "").strip().endswith(f"CN={arena_env.OWN_HOST}")
    before = contents(checkout)
    assert "written" not in prepare(checkout, "arena", "arena.example")
    assert "was made for arena.example, not for other.example" in prepare(
        checkout, "arena", "other.example", code=1
    )
    assert {name: each for name, each in contents(checkout).items() if "__pycache__" not in name} == {
        name: each for name, each in before.items() if "__pycache__" not in name
    }


def test_an_arena_with_tls_is_told_the_address_of_its_services() -> None:
    given = {
        "ARENA_HOST": "arena.example", "COMPOSE_FILE": "docker-compose.yml:deploy/tls.yml",
        "MAUMAU_REGISTRY_PORT": "7201-7204", "MAUMAU_ENGINE_PORT": "7303",
    }  # fmt: skip
    url = "https://arena.example:7201,7102,7303,7104"
    assert arena_env.find_missing(given)["MAUMAU_SERVICES_URL"] == url
    for same in ({"MAUMAU_SERVICES_URL": ""}, {"COMPOSE_FILE": "docker-compose.yml"}):
        assert "MAUMAU_SERVICES_URL" not in arena_env.find_missing({**given, **same})


@pytest.mark.long
@as_root
def test_an_arena_of_an_earlier_version_is_given_what_it_lacks_and_keeps_what_it_has(checkout: Path) -> None:
    prepare(checkout, "arena", "arena.example")
    path = checkout / "deploy/arena.env"
    later = (*arena_env.LATER_SECRETS, "SERVICES_ADDRESS", "PAGES_ADDRESS", "MAUMAU_SERVICES_URL")
    old = [line for line in path.read_text().splitlines() if line.partition("=")[0] not in later]
    old = [line.replace(f":{arena_env.IMAGES}", ":deploy/own-workers.yml") for line in old]
    path.write_text("\n".join([*old, "HOST_TOKEN=", ""]))
    shutil.rmtree(checkout / "deploy/host")
    said = prepare(checkout, "arena", "arena.example")
    added = "BROKER_WORKERS_PASSWORD, HOST_TOKEN, MAUMAU_SERVICES_URL, PAGES_ADDRESS, SERVICES_ADDRESS"
    assert f"added are {added}" in said
    assert "PAGES_ADDRESS=0.0.0.0 opens them" in said
    assert "COMPOSE_FILE lacks deploy/images.yml" in said
    given = arena_env.read_settings(path)
    assert [line for line in path.read_text().splitlines() if line.partition("=")[0] not in later] == old
    assert all(len(given[name]) > 40 for name in arena_env.LATER_SECRETS)
    assert (given["SERVICES_ADDRESS"], given["PAGES_ADDRESS"]) == ("0.0.0.0", "127.0.0.1")
    assert path.stat().st_mode & 0o777 == 0o600
    assert (checkout / "deploy/host/key.pem").exists()
    words = path.read_text()
    assert "added" not in prepare(checkout, "arena", "arena.example")
    assert path.read_text() == words


@pytest.mark.long
@as_root
def test_an_arena_without_tls_stays_on_this_host_unless_somebody_says_otherwise(checkout: Path) -> None:
    prepare(checkout, "arena", "arena.example")
    path = checkout / "deploy/arena.env"
    lines = [line for line in path.read_text().splitlines() if not line.startswith("SERVICES_ADDRESS=")]
    lines = ["COMPOSE_FILE=docker-compose.yml" if "COMPOSE_FILE=" in line else line for line in lines]
    path.write_text("\n".join(lines))
    assert "plain text" not in prepare(checkout, "arena", "arena.example")
    assert arena_env.read_settings(path)["SERVICES_ADDRESS"] == "127.0.0.1"
    path.write_text(path.read_text().replace("SERVICES_ADDRESS=127.0.0.1", "SERVICES_ADDRESS=0.0.0.0"))
    said = prepare(checkout, "arena", "arena.example")
    assert "other hosts reach services that speak plain text: add deploy/tls.yml" in said


@pytest.mark.long
@as_root
def test_a_folder_of_backups_that_others_may_read_is_refused(checkout: Path) -> None:
    prepare(checkout, "arena", "arena.example")
    backups = checkout / "backups"
    assert (backups.stat().st_uid, backups.stat().st_mode & 0o777) == (10001, 0o700)
    backups.chmod(0o755)
    assert f"chmod 700 {backups}" in prepare(checkout, "arena", "arena.example", code=1)
    backups.chmod(0o700)
    prepare(checkout, "arena", "arena.example")


@pytest.mark.long
@as_root
def test_containers_read_certificates_whatever_the_umask_and_nobody_else_reads_keys(checkout: Path) -> None:
    old = os.umask(0o077)
    try:
        prepare(checkout, "arena", "arena.example")
        (checkout / "deploy/tls/broker.key").chmod(0o644)  # as if the command had been interrupted there
        prepare(checkout, "arena", "arena.example")
    finally:
        os.umask(old)
    tls = checkout / "deploy/tls"
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tls, *tls.iterdir())}
    assert modes == {
        "tls": 0o755, "ca.pem": 0o644, "cert.pem": 0o644, "workers.pem": 0o644, "key.pem": 0o400,
        "broker.key": 0o400,
    }  # fmt: skip


@pytest.mark.long
@as_root
def test_a_certificate_of_another_authority_and_a_key_of_another_certificate_are_refused(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    prepare(checkout, "arena", "arena.example")
    tls, keys = checkout / "deploy/tls", checkout / "deploy/authority"
    (tls / "ca.pem").rename(checkout / "kept.pem")
    said = prepare(checkout, "arena", "arena.example", code=1)
    assert "deploy/authority/arena.key is there without deploy/tls/ca.pem: put that back" in said
    (keys / "arena.key").unlink()
    said = prepare(checkout, "arena", "arena.example", code=1)
    assert "deploy/tls/cert.pem was not signed by deploy/tls/ca.pem: rm -f deploy/tls/cert.pem" in said
    (checkout / "kept.pem").rename(tls / "ca.pem")
    key = (tls / "key.pem").read_bytes()
    (tls / "key.pem").chmod(0o600)
    (tls / "key.pem").write_bytes((keys / "hosts.key").read_bytes())
    assert "the keys in deploy/tls are not those" in prepare(checkout, "arena", "arena.example", code=1)
    (tls / "key.pem").write_bytes(key)
    prepare(checkout, "arena", "arena.example")


@pytest.mark.long
@as_root
def test_no_host_is_prepared_for_an_arena_that_lets_none_in(checkout: Path) -> None:
    prepare(checkout, "arena", "arena.example")
    path = checkout / "deploy/arena.env"
    words = path.read_text()
    for other, sentence in (
        ("COMPOSE_FILE=docker-compose.yml", "COMPOSE_FILE in deploy/arena.env lacks deploy/tls.yml"),
        ("TLS_FOLDER=/srv/tls", "TLS_FOLDER in deploy/arena.env is another than deploy/tls"),
    ):
        name = other.partition("=")[0]
        lines = [other if line.startswith(f"{name}=") else line for line in words.splitlines()]
        path.write_text("\n".join(lines))
        assert sentence in prepare(checkout, "host", "host-2", code=1)
    assert not (checkout / "bin/asked").exists()  # no token was made


def test_settings_are_read_as_compose_reads_them(tmp_path: Path) -> None:
    (tmp_path / "arena.env").write_text(
        "A=\"one two\" # why\nexport B='three'\nC=four # why\nD=five#six\nE=\n# F=no\n"
    )
    assert arena_env.read_settings(tmp_path / "arena.env") == {
        "A": "one two", "B": "three", "C": "four", "D": "five#six", "E": "",
    }  # fmt: skip


@pytest.mark.long
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
    told = arena_env.read_settings(checkout / "there/maumau-host-2/worker-host.env")
    assert (told["HOST_TOKEN"], told["ARENA_HOST"]) == ("mm_of-this-host", "arena.example")
    given = arena_env.read_settings(checkout / "deploy/arena.env")
    assert told["BROKER_WORKERS_PASSWORD"] == given["BROKER_WORKERS_PASSWORD"]
    packed = (checkout / "there/maumau-host-2/worker-host.env").read_text()
    others = [name for name in given if arena_env.is_secret(name) and name != "BROKER_WORKERS_PASSWORD"]
    assert not [name for name in others if given[name] in packed]
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
        ({"GRAFANA_PORT": "9090"}, "PROMETHEUS_PORT and GRAFANA_PORT have the same port: 9090 and 9090."),
        ({"MAUMAU_REGISTRATON": "open"}, "MAUMAU_REGISTRATION is."),
        ({"MAUMAU_REGISTRATION": "yes"}, "is open, code or closed, not yes."),
        ({"WORKERS": "999"}, "WORKERS is 999, and this host has only"),
        ({"WORKERS": "many"}, "WORKERS must be a number, and is many."),
        (
            {"MAUMAU_REGISTRY_PORT": "7099-7100"},
            "MAUMAU_REGISTRY_PORT and MAUMAU_WEB_PORT have the same port: 7099-7100 and 7100.",
        ),
        ({"GRAFANA_PORT": "some"}, "GRAFANA_PORT must be a port or a range such as 7201-7204, and is some."),
        ({"BACKUP_AT": "25:99"}, "BACKUP_AT is a time such as 03:17, and not 25:99."),
        ({"BACKUPS": "~/backups"}, "compose does not know whose ~ is"),
        ({"COMPOSE_FILE": "docker-compose.yml:no.yml"}, "COMPOSE_FILE has no.yml, which is not there."),
        ({"HOST_TOKEN": ""}, "HOST_TOKEN is empty."),
        (
            {"PAGES_ADDRESS": "all"},
            "PAGES_ADDRESS must be an address such as 127.0.0.1 or 0.0.0.0, and is all.",
        ),
        (
            {"COMPOSE_FILE": "docker-compose.yml:deploy/host-certificates.yml"},
            "needs deploy/tls.yml before it.",
        ),
    ],
)
def test_settings_that_contradict_each_other_get_a_sentence(changed: dict[str, str], sentence: str) -> None:
    given = EXAMPLE | arena_env.arena_settings(ROOT / "deploy/arena.env.example", "arena.example")
    assert arena_env.contradictions(given, EXAMPLE) == []
    (said,) = arena_env.contradictions(given | changed, EXAMPLE)
    assert sentence in said
