"""The compose file: real settings, no power that is not needed, no secret for who needs none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml

from bench.support.patience import patient
from deploy import arena_env, image
from maumau.build import describe_build
from services.shared.base.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "deploy/README.md").read_text()
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {
    name: each for name, each in SERVICES.items()
    if each["image"].startswith("maumau-arena") and "profiles" not in each
}  # fmt: skip
ASKED_FOR = {
    "backup": ["backup"],
    "nightly": ["nightly"],
    "prometheus": ["prometheus", "grafana", "alertmanager"],
    "alertmanager": ["alertmanager"],
    "grafana": ["grafana"],
}  # with their profiles
WORKERS = ("worker", "sitter")
VARIABLE = re.compile(r"\$\{(\w+)")


@pytest.mark.sample
@pytest.mark.parametrize("code", re.findall(r'python -c "(from maumau[^"]+)"', README))
def test_a_command_of_the_page_says_what_the_sandbox_is(code: str) -> None:
    command = [sys.executable, "-c", " ".join(code.split())]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stdout.startswith("bwrap: ")


def test_it_starts_exactly_what_there_is() -> None:
    assert set(SERVICES) == {
        "postgres",
        "redis-state",
        "redis-broker",
        "registry",
        "tournament",
        "engine",
        "matchmaking",
        "web",
        "worker",
        "sitter",
        *ASKED_FOR,
    }
    assert {name: each["profiles"] for name, each in SERVICES.items() if "profiles" in each} == ASKED_FOR
    commands = {name: each["command"] for name, each in OURS.items()}
    modules = {name: "worker" if name == "sitter" else name for name in OURS}
    assert commands == {name: ["python", "-m", f"services.{module}"] for name, module in modules.items()}
    assert all((ROOT / f"services/{module}/__main__.py").exists() for module in modules.values())


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_has_power_that_it_does_not_need(name: str) -> None:
    service = SERVICES[name]
    assert "privileged" not in service
    assert service["cap_drop"] == ["ALL"]
    assert any(option.startswith("no-new-privileges") for option in service["security_opt"])
    assert not any("docker.sock" in volume for volume in service.get("volumes", []))
    if name != "postgres":  # its entry point begins as root to own its folder
        assert int(service["user"].partition(":")[0]) > 0
        assert service["read_only"] is True


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_bounds_and_a_first_process_that_reaps(name: str) -> None:
    service = SERVICES[name]
    assert {"cpus", "mem_limit", "pids_limit", "init"} <= set(service)
    assert ":" in service["image"]


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_is_published_to_other_hosts_unless_somebody_says_so(name: str) -> None:
    """Services speak plain text without deploy/tls.yml, and the pages always do."""
    address = "${PAGES_ADDRESS:-127.0.0.1}:" if name == "web" else "${SERVICES_ADDRESS:-127.0.0.1}:"
    assert all(port.startswith((address, "127.0.0.1:")) for port in SERVICES[name].get("ports", []))


@pytest.mark.parametrize("name", SERVICES)
def test_no_secret_stands_in_the_words_of_a_command(name: str) -> None:
    """Every user of the host may read them; the environment is root's and the container's own."""
    words = [SERVICES[name].get("command", ""), SERVICES[name].get("healthcheck", {}).get("test", "")]
    for each in words:
        spoken = str(each[2]).partition("<<END")[0] if each[:1] == ["sh"] else json.dumps(each)
        assert not re.search(r"PASSWORD|TOKEN|_AUTH", spoken)


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_asks_for_more_cores_than_a_small_host_has(name: str) -> None:
    """Docker refuses to start a container that may use more."""
    assert float(re.sub(r"\$\{\w+:-(\d+)\}", r"\1", str(SERVICES[name]["cpus"]))) <= 2


def test_the_secret_of_the_provider_of_logins_is_a_mounted_file() -> None:
    registry, web = (SERVICES[name]["environment"] for name in ("registry", "web"))
    assert {"MAUMAU_MAIL_URL", "MAUMAU_MAIL_FROM", "MAUMAU_PAGE_URL"} <= registry.keys()
    assert {f"MAUMAU_OIDC_{name}" for name in ("ISSUER", "CLIENT", "NAME", "SECRET_FILE")} <= web.keys()
    (secret,) = SERVICES["web"]["secrets"]
    assert web["MAUMAU_OIDC_SECRET_FILE"] == f"/run/secrets/{secret}"
    assert COMPOSE["secrets"] == {secret: {"file": "${OIDC_SECRET:-/dev/null}"}}
    assert all("secrets" not in one for name, one in SERVICES.items() if name != "web")


def test_registry_and_page_tell_the_address_of_the_services() -> None:
    for name in ("registry", "web"):
        assert SERVICES[name]["environment"]["MAUMAU_SERVICES_URL"] == "${MAUMAU_SERVICES_URL:-}"


@pytest.mark.long
def test_the_list_of_packages_in_the_image_is_that_of_its_lock(tmp_path: Path) -> None:
    """Names, versions and hashes, the same each time."""
    made = [image.write_bom(describe_build(), tmp_path / name) for name in ("one", "two")]
    assert made[0].read_bytes() == made[1].read_bytes()
    found = json.loads(made[0].read_text())
    locked = re.findall(r"^([a-z0-9._-]+)==([^ ]+)", image.LOCK.read_text(), re.MULTILINE)
    assert [(each["name"], each["version"]) for each in found["components"]] == locked
    assert all(each["externalReferences"][0]["hashes"] for each in found["components"])
    assert found["metadata"]["component"]["name"] == "maumau-arena"


def test_the_image_is_told_version_commit_and_rules() -> None:
    told = image.build_arguments(describe_build())
    text = (ROOT / "deploy/Dockerfile").read_text()
    assert set(told) | {"BASE"} == set(re.findall(r"^ARG (\w+)", text, re.MULTILINE))
    assert told["COMMIT"].removesuffix("-changed") == describe_build().commit.removesuffix("-changed")
    assert set(re.findall(r"^ARG (?!BASE)\w+=(.*)", text, re.MULTILINE)) == {"unknown"}
    assert {"org.opencontainers.image.revision", "org.opencontainers.image.version"} <= set(
        re.findall(r"([a-z.-]+)=\"\$", text)
    )


@pytest.mark.parametrize(
    ("secret", "who"),
    [
        ("POSTGRES_PASSWORD", {"postgres", "registry", "tournament", "matchmaking", "backup", "nightly"}),
        ("STATE_PASSWORD", {"redis-state", "tournament", "engine", "matchmaking"}),
        ("BROKER_PASSWORD", {"redis-broker", "registry", "tournament", "matchmaking", "sitter"}),
        ("BROKER_WORKERS_PASSWORD", {"redis-broker", "worker"}),
        ("MAUMAU_ADMIN_TOKEN", {"registry", "tournament", "engine", "matchmaking"}),
        ("MAUMAU_WORKER_TOKEN", {"registry", "tournament", "engine", "matchmaking", "sitter"}),
        ("MAUMAU_READER_TOKEN", {"registry", "tournament", "engine", "matchmaking", "web"}),
        ("HOST_TOKEN", {"registry", "worker"}),
    ],
)
def test_a_secret_is_given_to_those_who_need_it_and_to_nobody_else(secret: str, who: set[str]) -> None:
    told = {
        name: VARIABLE.findall(json.dumps(each.get("environment", {}))) for name, each in SERVICES.items()
    }
    assert {name for name, secrets in told.items() if secret in secrets} == who


def test_what_is_sent_to_the_engine_that_builds_is_named_one_by_one() -> None:
    """For every builder: one that is told of the Dockerfile alone would send keys and arena.env along."""
    first, *named = (ROOT / ".dockerignore").read_text().split()
    assert first == "*"
    assert set(named) == {
        "!pyproject.toml", "!requirements-build.lock", "!requirements-image.lock", "!README.md", "!maumau",
        "!services", "!deploy/compiled.py", "!deploy/build_hook.py", "**/__pycache__",
    }  # fmt: skip
    assert not list((ROOT / "deploy").glob("*.dockerignore"))  # one of those would replace it


def test_a_backup_knows_the_stores_and_no_token() -> None:
    backup = SERVICES["backup"]
    stores = {"MAUMAU_ARTIFACTS", "MAUMAU_EXPORTS", "MAUMAU_RECORDS"}
    told = {"MAUMAU_DATABASE_URL", "MAUMAU_MOVE_RECORDS_DAYS", "BACKUP_AT"}
    assert set(backup["environment"]) == stores | told
    assert backup["networks"] == ["stores"]
    assert {key: each for key, each in SERVICES["nightly"].items() if backup.get(key) != each}.keys() == {
        "profiles", "restart", "command", "healthcheck",
    }  # fmt: skip
    assert backup["command"][:3] == ["maumau", "admin", "backup"]
    volumes = [volume.partition(":")[0] for volume in backup["volumes"][:2]]
    assert volumes == ["registry", "tournament"]


def test_old_records_may_lie_on_another_disk_and_are_backed_up_from_there() -> None:
    for name in ("tournament", "backup"):
        assert SERVICES[name]["environment"]["MAUMAU_RECORDS"] == "/records"
        assert "${RECORDS:-records}:/records" in SERVICES[name]["volumes"]
    made = re.search(r"install --directory --owner=maumau .*", (ROOT / "deploy/Dockerfile").read_text())
    assert made is not None
    assert "/records" in made[0].split()  # a new volume belongs to whom the image's folder belongs to


@pytest.mark.parametrize("name", OURS)
def test_what_a_service_is_told_are_settings_that_exist(name: str) -> None:
    known = {f"MAUMAU_{field.name.upper()}" for field in fields(Settings)}
    assert set(OURS[name]["environment"]) <= known


@pytest.mark.parametrize("name", WORKERS)
def test_a_worker_has_memory_from_which_programs_can_be_run(name: str) -> None:
    (shm,) = [each for each in SERVICES[name]["tmpfs"] if each.startswith("/dev/shm:")]
    options = shm.partition(":")[2].split(",")
    assert "exec" in options
    assert "size=768m" in options


@pytest.mark.parametrize(
    ("name", "secrets"),
    [
        ("worker", {"BROKER_WORKERS_PASSWORD", "HOST_TOKEN"}),  # strangers' programs run beside it
        ("sitter", {"BROKER_PASSWORD", "MAUMAU_WORKER_TOKEN"}),
    ],
)
def test_a_worker_knows_no_store_but_the_broker_and_no_admin(name: str, secrets: set[str]) -> None:
    worker = SERVICES[name]
    told = VARIABLE.findall(json.dumps(worker["environment"]))
    assert set(told) - {"MAUMAU_PROXIES"} == secrets
    assert worker["networks"] == ["play"]
    assert COMPOSE["networks"]["play"]["internal"] is True
    assert [name for name, each in SERVICES.items() if "play" in each["networks"]] == [
        "redis-broker", "registry", "tournament", "engine", "matchmaking", "web", "worker", "sitter",
        "prometheus",
    ]  # fmt: skip


def test_the_page_knows_one_secret_with_which_it_can_only_read() -> None:
    page = SERVICES["web"]
    told = VARIABLE.findall(json.dumps(page["environment"]))
    assert [name for name in told if name.endswith(("PASSWORD", "TOKEN"))] == ["MAUMAU_READER_TOKEN"]
    assert "stores" not in page["networks"]


@pytest.mark.parametrize(
    ("example", "files"),
    [
        ("arena.env.example", arena_env.TLS_FILES),
        ("worker-host.env.example", ("deploy/worker-host.yml",)),
    ],
)
def test_every_secret_is_in_the_example_and_empty_there(example: str, files: tuple[str, ...]) -> None:
    words = "".join((ROOT / file).read_text() for file in files)
    lines = (ROOT / "deploy" / example).read_text().splitlines()
    given = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    assert set(given) == set(VARIABLE.findall(words))
    assert not any(value for name, value in given.items() if name.endswith(("PASSWORD", "TOKEN")))
    defaults = dict(re.findall(r"\$\{(\w+):-([^}]*)\}", words))
    assert {name: value for name, value in given.items() if name in defaults} == defaults


def test_the_seccomp_profile_lets_namespaces_pass_and_refuses_the_kernel() -> None:
    profile = json.loads((ROOT / "deploy/worker-seccomp.json").read_text())
    refused = {call for rule in profile["syscalls"] for call in rule["names"]}
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    assert {rule["action"] for rule in profile["syscalls"]} == {"SCMP_ACT_ERRNO"}
    assert refused >= {"bpf", "init_module", "kexec_load", "keyctl", "perf_event_open", "ptrace", "reboot"}
    assert not refused & {"clone", "clone3", "unshare", "setns", "mount", "umount2", "pivot_root"}


@pytest.mark.long
def test_a_worker_told_nothing_refuses_to_play_below_bwrap(tmp_path: Path) -> None:
    told = {
        "MAUMAU_DATA": str(tmp_path), "MAUMAU_WORKER_TOKEN": "mm_a-worker-of-this-test",
        "MAUMAU_BROKER_URL": "redis://127.0.0.1:1/0", "MAUMAU_REGISTRY_ADDRESS": "127.0.0.1:1",
        "MAUMAU_TOURNAMENT_ADDRESS": "127.0.0.1:1", "PATH": "/nonexistent",
    }  # fmt: skip
    command = [sys.executable, "-m", "services.worker"]
    worker = subprocess.run(
        command, env=told, cwd=ROOT, capture_output=True, text=True, timeout=patient(60), check=False
    )
    assert worker.returncode == 1
    assert (
        worker.stderr == "error: Bots are started by prlimit, which is missing here (package util-linux).\n"
    )


@pytest.mark.parametrize("name", OURS)
def test_every_process_of_the_arena_shows_its_metrics_to_the_network_it_is_in(name: str) -> None:
    environment = OURS[name]["environment"]
    assert environment["MAUMAU_LISTEN"].startswith("0.0.0.0:")
    assert int(environment["MAUMAU_METRICS_PORT"]) > 0


def test_with_tls_a_key_is_seen_only_by_those_who_serve_with_it() -> None:
    overlay = yaml.safe_load((ROOT / "deploy/tls.yml").read_text())["services"]
    assert set(overlay) == set(OURS)
    known = {f"MAUMAU_{field.name.upper()}" for field in fields(Settings)}
    for name, each in overlay.items():
        assert set(each["environment"]) <= known
        (mount,) = each["volumes"]
        serves = "healthcheck" in each
        assert serves == ("MAUMAU_TLS_KEY" in each["environment"]) == mount.endswith("/tls}:/tls:ro")
        if serves:  # asked by the name that the certificate has
            port = OURS[name]["environment"]["MAUMAU_LISTEN"].rpartition(":")[2]
            assert each["healthcheck"]["test"][-2:] == [f"{name}:{port}", "/tls/ca.pem"]


CERTIFIED = yaml.safe_load((ROOT / "deploy/host-certificates.yml").read_text())["services"]
ELSEWHERE = yaml.safe_load((ROOT / "deploy/worker-host.yml").read_text())
SECOND = {"registry": ("7101", "7111"), "tournament": ("7102", "7112")}


def test_with_certificates_of_hosts_workers_call_a_second_port_and_nobody_else_does() -> None:
    assert set(CERTIFIED) == {*SECOND, "worker", "redis-broker"}  # the sitter keeps the services' own token
    known = {f"MAUMAU_{field.name.upper()}" for field in fields(Settings)}
    worker = CERTIFIED["worker"]["environment"]
    for name, (first, second) in SECOND.items():
        told = CERTIFIED[name]["environment"]
        assert OURS[name]["environment"]["MAUMAU_LISTEN"] == f"0.0.0.0:{first}"
        assert told == {
            "MAUMAU_LISTEN_WORKERS": f"0.0.0.0:{second}", "MAUMAU_TLS_WORKERS_CA": "/tls/workers.pem",
        }  # fmt: skip
        assert CERTIFIED[name]["ports"] == [f"${{MAUMAU_{name.upper()}_WORKERS_PORT:-{second}}}:{second}"]
        assert worker[f"MAUMAU_{name.upper()}_ADDRESS"] == f"{name}:{second}"
        assert set(told) | set(worker) <= known


HOST_TOKENS = {"worker": "MAUMAU_WORKER_TOKEN", "registry": "MAUMAU_HOST_TOKEN"}


def test_with_certificates_of_hosts_a_worker_has_its_own_key_and_token_and_no_other() -> None:
    worker = CERTIFIED["worker"]
    assert worker["volumes"] == ["${HOST_FOLDER:-./deploy/host}:/host:ro"]
    files = {name: value for name, value in worker["environment"].items() if "_TLS_" in name}
    assert files == {
        "MAUMAU_TLS_CLIENT_CERT": "/host/cert.pem", "MAUMAU_TLS_CLIENT_KEY": "/host/key.pem",
    }  # fmt: skip
    assert "MAUMAU_WORKER_TOKEN" not in worker["environment"]
    assert OURS["registry"]["environment"]["MAUMAU_HOST_NAME"] == arena_env.OWN_HOST
    told = [OURS[name]["environment"][setting] for name, setting in HOST_TOKENS.items()]
    assert [VARIABLE.findall(each) for each in told] == [["HOST_TOKEN"]] * 2
    (ca,) = yaml.safe_load((ROOT / "deploy/tls.yml").read_text())["services"]["worker"]["volumes"]
    assert ca.endswith("/ca.pem:/tls/ca.pem:ro")  # of the services' folder it sees no key


def test_with_certificates_of_hosts_the_broker_is_as_before_and_speaks_tls_to_hosts() -> None:
    before, broker = SERVICES["redis-broker"], CERTIFIED["redis-broker"]
    assert "command" not in broker
    assert " $$BROKER_TLS <<END" in before["command"][2]
    assert before["environment"]["BROKER_TLS"] == ""
    assert set(broker["environment"]) == {"BROKER_TLS"}
    option, port, *words = broker["environment"]["BROKER_TLS"].split()
    assert option == "--tls-port"
    assert broker["ports"] == [f"${{BROKER_PORT:-7113}}:{port}"]
    assert dict(zip(words[::2], words[1::2], strict=True)) == {
        "--tls-cert-file": "/tls/cert.pem", "--tls-key-file": "/tls/broker.key",
        "--tls-ca-cert-file": "/tls/workers.pem",
    }  # fmt: skip
    for mount in broker["volumes"]:
        file = mount["target"].removeprefix("/tls/")
        assert mount["source"] == f"${{TLS_FOLDER:-./deploy/tls}}/{file}"
        assert (mount["read_only"], mount["bind"]) == (True, {"create_host_path": False})
    assert {mount["target"] for mount in broker["volumes"]} == set(words[1::2])


def test_a_worker_on_another_host_has_the_walls_of_the_compose_file_and_calls_the_same_ports() -> None:
    here, there = OURS["worker"], ELSEWHERE["services"]["worker"]
    assert {"depends_on"} == set(here) - set(there)
    assert set(there) <= set(here)
    moved = {"environment", "volumes", "networks", "security_opt"}
    assert {key: here[key] for key in there if key not in moved} == {
        key: value for key, value in there.items() if key not in moved
    }
    walls = [option.replace("deploy/", "") for option in here["security_opt"]]
    assert there["security_opt"] == walls  # from the folder of its file
    assert (ROOT / "deploy/worker-seccomp.json").exists()
    assert there["volumes"] == [*here["volumes"], "${HOST_FOLDER:-./host}:/host:ro"]
    told, known = there["environment"], {f"MAUMAU_{field.name.upper()}" for field in fields(Settings)}
    assert set(told) <= known
    secrets = {name for name in VARIABLE.findall(json.dumps(told)) if name.endswith(("PASSWORD", "TOKEN"))}
    assert secrets == {"BROKER_WORKERS_PASSWORD", "HOST_TOKEN"}
    published = [port.rpartition(":")[0] for each in CERTIFIED.values() for port in each.get("ports", [])]
    for name in SECOND:
        assert told[f"MAUMAU_{name.upper()}_ADDRESS"].endswith(f":{published.pop(0)}")
    broker = urlsplit(re.sub(r"\$\{(\w+)[^}]*\}", r"\1", told["MAUMAU_BROKER_URL"]))
    assert (broker.scheme, broker.hostname) == ("rediss", "arena_host")
    assert f":{published.pop()}/0?" in told["MAUMAU_BROKER_URL"]
    assert dict(parse_qsl(broker.query)) == {
        "ssl_cert_reqs": "required", "ssl_check_hostname": "true", "ssl_ca_certs": "/host/ca.pem",
        "ssl_certfile": "/host/cert.pem", "ssl_keyfile": "/host/key.pem",
    }  # fmt: skip
