"""The manifests for Kubernetes: each overlay builds, is valid, and allows no more connections than needed."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import fields
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from services.shared.base.contradiction import PUBLIC_SECRETS
from services.shared.base.settings import Settings
from services.shared.base.worker_name import HOST
from services.web.call import STUBS
from tests.support.kinds import one_of
from tests.support.manifests import (
    CERTIFIED,
    FRONT,
    OF_THE_CLUSTER,
    OURS,
    OVERLAYS,
    Object,
    list_containers,
    list_workloads,
    of_kind,
    values_of,
)

ROOT = Path(__file__).parents[2]
PROMISED = ("1.33", "1.37")  # the first release that has user namespaces for pods by default, and the newest
SETTINGS = {f"MAUMAU_{field.name.upper()}" for field in fields(Settings)}
PRODUCTION = [name for name in OVERLAYS if name != "dev"]
STORES = {"postgres", "redis-state", "redis-broker"}
PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


@pytest.mark.long
@pytest.mark.parametrize("version", one_of(2, PROMISED))
@pytest.mark.parametrize("name", OVERLAYS)
def test_every_object_is_one_that_kubernetes_knows(
    built: dict[str, list[Object]], name: str, version: str
) -> None:
    import kubernetes_validate  # takes seconds, which every test process would spend at collection

    groups = {"v1", "apps", "batch", "policy"}
    known = [each for each in built[name] if each["apiVersion"].partition("/")[0] in groups
             or (each["apiVersion"].partition("/")[0].endswith(".k8s.io")
             and not each["apiVersion"].startswith("gateway."))]  # fmt: skip
    assert len(known) > 15
    for each in known:
        kubernetes_validate.validate(each, version, strict=True)


@pytest.mark.long
@pytest.mark.parametrize("name", OVERLAYS)
def test_no_container_has_power_that_it_does_not_need(built: dict[str, list[Object]], name: str) -> None:
    for workload, pod, container in list_containers(built[name]):
        context = {**pod["securityContext"], **container["securityContext"]}
        assert context["allowPrivilegeEscalation"] is False
        assert context["readOnlyRootFilesystem"] is True
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert not context.get("privileged")
        assert context["seccompProfile"]["type"] in {"RuntimeDefault", "Localhost"}
        assert pod["automountServiceAccountToken"] is False
        assert not any(pod.get(shared) for shared in ("hostNetwork", "hostPID", "hostIPC"))
        if workload == "worker-seccomp":  # it writes to a folder of the node, and does nothing else
            continue
        assert context["runAsNonRoot"] is True
        assert not any("hostPath" in volume for volume in pod.get("volumes", []))


@pytest.mark.parametrize("name", OVERLAYS)
def test_every_container_has_bounds_probes_and_an_image_of_one_version(
    built: dict[str, list[Object]], name: str
) -> None:
    for _, pod, container in list_containers(built[name]):
        for bound in ("requests", "limits"):
            assert {"cpu", "memory"} <= set(container["resources"][bound])
        assert set(PROBES) <= set(container) or pod.get("restartPolicy") == "Never"
        assert re.search(r":\d[\w.-]*$", container["image"])


@pytest.mark.parametrize("name", OVERLAYS)
def test_every_service_finds_its_pods_and_every_port_has_one_name(
    built: dict[str, list[Object]], name: str
) -> None:
    pods = list(list_workloads(built[name]))
    for service in of_kind(built[name], "Service"):
        wanted = service["spec"]["selector"].items()
        found = [
            pod for namespace, _, pod in pods
            if namespace == service["metadata"]["namespace"] and wanted <= pod["metadata"]["labels"].items()
        ]  # fmt: skip
        assert len(found) == 1
        named = {port["name"] for each in found[0]["spec"]["containers"] for port in each["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= named
    for _, _, container in list_containers(built[name]):
        ports = [(port["name"], port["containerPort"]) for port in container.get("ports", [])]
        assert len({name for name, _ in ports}) == len({number for _, number in ports}) == len(ports)


@pytest.mark.parametrize("name", OVERLAYS)
def test_a_service_gets_only_settings_that_exist(built: dict[str, list[Object]], name: str) -> None:
    for settings in of_kind(built[name], "ConfigMap"):
        if settings["metadata"]["name"].startswith("settings"):
            assert set(settings["data"]) <= SETTINGS | OF_THE_CLUSTER
            assert not any("TOKEN" in each or each.endswith("_URL") for each in settings["data"])
    for workload, _, container in list_containers(built[name]):
        if workload in OURS:
            assert {each["name"] for each in container.get("env", [])} <= SETTINGS


@pytest.mark.parametrize("kind", ["worker", "sitter"])
@pytest.mark.parametrize("name", OVERLAYS)
def test_a_worker_is_given_the_broker_and_its_token_and_no_other_secret(
    built: dict[str, list[Object]], name: str, kind: str
) -> None:
    ((pod, worker),) = [
        (pod, each) for workload, pod, each in list_containers(built[name]) if workload == kind
    ]
    references = {
        each["name"]: each["valueFrom"]["secretKeyRef"] for each in worker["env"] if "valueFrom" in each
    }
    secrets = {setting: (each["name"], each["key"]) for setting, each in references.items()}
    own = {
        "worker": {
            "MAUMAU_BROKER_URL": ("redis-broker", "workers-url"),
            "MAUMAU_WORKER_TOKEN": ("host", "token"),
        },
        "sitter": {"MAUMAU_BROKER_URL": ("redis-broker", "url"), "MAUMAU_WORKER_TOKEN": ("worker", "token")},
    }
    assert secrets == own[kind]
    assert not any("secretRef" in each for each in worker["envFrom"])
    files = {each["secret"]["secretName"] for each in pod["volumes"] if "secret" in each}
    assert files == ({"host"} if (name, kind) == (CERTIFIED, "worker") else set())


@pytest.mark.parametrize("name", OVERLAYS)
def test_the_registry_lets_the_workers_in_by_the_token_of_their_host(
    built: dict[str, list[Object]], name: str
) -> None:
    (registry,) = [each for workload, _, each in list_containers(built[name]) if workload == "registry"]
    env = {each["name"]: each for each in registry["env"]}
    assert env["MAUMAU_HOST_TOKEN"]["valueFrom"]["secretKeyRef"] == {"name": "host", "key": "token"}
    assert HOST.fullmatch(env["MAUMAU_HOST_NAME"]["value"])
    others = [
        each for workload, _, each in list_containers(built[name]) if workload not in {"registry", "worker"}
    ]
    assert "host" not in {
        entry.get("valueFrom", {}).get("secretKeyRef", {}).get("name")
        for each in others
        for entry in each.get("env", [])
    }


def test_only_the_overlay_for_development_contains_and_accepts_public_secrets(
    built: dict[str, list[Object]],
) -> None:
    values = {
        base64.b64decode(value).decode()
        for each in of_kind(built["dev"], "Secret")
        for value in each["data"].values()
    }
    secrets = {urlsplit(value).password if "://" in value else value for value in values}
    assert secrets == PUBLIC_SECRETS
    given = {
        name: [
            each["data"].get("MAUMAU_DEV")
            for each in of_kind(objects, "ConfigMap")
            if each["metadata"]["name"].startswith("settings")
        ]
        for name, objects in built.items()
    }
    assert given == {name: ["1", "1"] if name == "dev" else [None, None] for name in OVERLAYS}


def test_the_broker_of_the_single_node_lets_workers_do_what_that_of_the_compose_file_does(
    built: dict[str, list[Object]],
) -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["redis-broker"]
    (broker,) = [each for workload, _, each in list_containers(built["dev"]) if workload == "redis-broker"]
    assert values_of(broker)["WORKERS_MAY"].split() == compose["environment"]["WORKERS_MAY"].split()
    there = compose["command"][2].replace("$$", "$").replace(" $BROKER_TLS", "").replace("512mb", "256mb")
    assert broker["command"][2] == there


@pytest.mark.parametrize("name", OVERLAYS)
def test_the_pages_are_given_one_secret_with_which_they_can_only_read(
    built: dict[str, list[Object]], name: str
) -> None:
    (web,) = [each for workload, _, each in list_containers(built[name]) if workload == "web"]
    given = [each for each in web["env"] if "secretKeyRef" in each.get("valueFrom", {})]
    assert [each["valueFrom"]["secretKeyRef"]["name"] for each in given] == ["reader"]


@pytest.mark.parametrize("name", OVERLAYS)
def test_the_pages_are_told_where_the_services_are_that_they_call(
    built: dict[str, list[Object]], name: str
) -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["web"]["environment"]
    told = {
        setting: value
        for each in of_kind(built[name], "ConfigMap")
        if each["metadata"]["namespace"] == "maumau"
        for setting, value in each["data"].items()
    }
    (web,) = [each for workload, _, each in list_containers(built[name]) if workload == "web"]
    told |= values_of(web)
    for service in STUBS:
        setting, port = f"MAUMAU_{service.upper()}_ADDRESS", FRONT[service]
        assert compose[setting] == f"{service}:{port}"
        assert told[setting] == f"{service}.maumau.svc:{port}"


def test_what_is_measured_in_production_has_the_labels_that_alerts_ask_for(
    built: dict[str, list[Object]],
) -> None:
    """`job="maumau"` and the service, as Prometheus gives them beside the compose file."""
    monitors = [each["spec"] for each in of_kind(built["production"], "PodMonitor")]
    given = [
        {relabel["targetLabel"]: relabel.get("replacement") for relabel in end["relabelings"]}
        for monitor in monitors
        for end in monitor["podMetricsEndpoints"]
    ]
    assert given == [{"job": "maumau", "service": None}] * 2
    (rules,) = of_kind(built["production"], "PrometheusRule")
    asked = re.findall(r'job="(\w+)"', json.dumps(rules["spec"]).replace("\\", ""))
    assert set(asked) == {"maumau"}


def test_the_manifests_for_production_contain_no_secret(built: dict[str, list[Object]]) -> None:
    for name in PRODUCTION:
        assert of_kind(built[name], "Secret") == []


def test_a_worker_has_what_the_walls_of_its_bots_need(built: dict[str, list[Object]]) -> None:
    for name in OVERLAYS:
        ((pod, worker),) = [
            (pod, each) for workload, pod, each in list_containers(built[name]) if workload == "worker"
        ]
        assert pod["hostUsers"] is False
        assert worker["securityContext"]["procMount"] == "Unmasked"
        assert pod["securityContext"]["appArmorProfile"] == {"type": "Unconfined"}
        volumes = {each["name"]: each for each in pod["volumes"]}
        (shm,) = [each["name"] for each in worker["volumeMounts"] if each["mountPath"] == "/dev/shm"]
        assert volumes[shm]["emptyDir"] == {"medium": "Memory", "sizeLimit": "768Mi"}
        env = {each["name"]: each.get("value") for each in worker["env"]}
        assert env["MAUMAU_PIN"] == "off"  # every pod would choose the same core
        assert worker["resources"]["requests"] == worker["resources"]["limits"]


def test_the_profile_of_the_workers_is_the_one_of_the_compose_file(built: dict[str, list[Object]]) -> None:
    profile = json.loads((ROOT / "deploy/worker-seccomp.json").read_text())
    for name in OVERLAYS:
        (found,) = [
            each["data"] for each in of_kind(built[name], "ConfigMap")
            if each["metadata"]["name"].startswith("worker-seccomp")
        ]  # fmt: skip
        assert {file: json.loads(text) for file, text in found.items()} == {"maumau-worker.json": profile}
        (pod,) = [pod for workload, pod, _ in list_containers(built[name]) if workload == "worker"]
        assert pod["securityContext"]["seccompProfile"]["localhostProfile"] == "profiles/maumau-worker.json"


# --- replicas and their storage ---


@pytest.mark.parametrize("name", PRODUCTION)
def test_in_production_services_survive_a_lost_node_and_an_update(
    built: dict[str, list[Object]], name: str
) -> None:
    budgets = {each["metadata"]["name"]: each["spec"] for each in of_kind(built[name], "PodDisruptionBudget")}
    deployments = {each["metadata"]["name"]: each["spec"] for each in of_kind(built[name], "Deployment")}
    for service in FRONT:
        found, pod = deployments[service], deployments[service]["template"]["spec"]
        assert found["replicas"] == 2
        assert found["strategy"] == {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1},
        }
        assert budgets[service] == {"maxUnavailable": 1, "selector": found["selector"]}
        (spread,) = pod["topologySpreadConstraints"]
        assert spread["matchLabelKeys"] == ["app.kubernetes.io/name"]
        assert not any(
            "persistentVolumeClaim" in each for each in pod["volumes"]
        )  # only one node can mount it


@pytest.mark.parametrize("name", PRODUCTION)
def test_in_production_all_replicas_share_a_bucket_and_it_is_backed_up(
    built: dict[str, list[Object]], name: str
) -> None:
    (settings,) = [
        each["data"] for each in of_kind(built[name], "ConfigMap")
        if each["metadata"]["name"].startswith("settings") and each["metadata"]["namespace"] == "maumau"
    ]  # fmt: skip
    stores = {"MAUMAU_ARTIFACTS", "MAUMAU_EXPORTS", "MAUMAU_RECORDS"}
    assert {urlsplit(settings[each]).scheme for each in stores} == {"s3"}
    given = {
        workload: {each["secretRef"]["name"] for each in container["envFrom"] if "secretRef" in each}
        for workload, _, container in list_containers(built[name])
        if workload in {*FRONT, "backup"}
    }
    assert {workload for workload, secrets in given.items() if secrets} == {
        "registry",
        "tournament",
        "backup",
    }
    own = [
        each["name"]
        for workload, _, one in list_containers(built[name])
        if workload in OURS
        for each in one["env"]
    ]
    assert not stores & set(own)
    (job,) = of_kind(built[name], "CronJob")
    (backup,) = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert backup["command"][:4] == ["python", "-m", "services.backup", "backup"]
    assert job["spec"]["concurrencyPolicy"] == "Forbid"
