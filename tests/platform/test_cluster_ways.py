"""Connections allowed by the manifests for Kubernetes: those that the arena needs, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.manifests import (
    CERTIFIED,
    FRONT,
    OURS,
    OVERLAYS,
    Object,
    build_certified,
    list_containers,
    list_workloads,
    of_kind,
    values_of,
)

Place = tuple[str, Mapping[str, str]]  # a namespace, and the labels of a pod

OUTSIDE: dict[str, Place] = {
    "gateway": ("gateways", {"namespace maumau.arena/gateway": "true"}),
    "prometheus": ("monitoring", {"namespace maumau.arena/metrics": "true"}),
    "somebody": ("default", {}),
}
SERVICES = {
    *(("gateway", name, port) for name, port in FRONT.items()),
    *(("prometheus", name, 9100) for name in OURS),
    *(
        (name, "registry", 7101)
        for name in ("tournament", "engine", "matchmaking", "web", "worker", "sitter")
    ),
    *((name, "tournament", 7102) for name in ("matchmaking", "web", "worker")),
    *((name, "engine", 7103) for name in ("matchmaking", "sitter", "web")),
    *((name, "matchmaking", 7104) for name in ("engine", "sitter", "web")),
}
INSIDE = {
    *((name, "postgres", 5432) for name in ("registry", "tournament", "matchmaking")),
    *((name, "redis-state", 6379) for name in ("tournament", "engine", "matchmaking")),
    *((name, "redis-broker", 6379) for name in ("registry", "tournament", "matchmaking", "worker", "sitter")),
}


CERTIFIED_SERVICES = SERVICES - {("worker", "registry", 7101), ("worker", "tournament", 7102)} | {
    ("worker", "registry", 7111), ("worker", "tournament", 7112),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", OVERLAYS)
def test_nobody_reaches_anything_but_what_the_arena_calls(built: dict[str, list[Object]], name: str) -> None:
    objects = built[name]
    pods = {
        workload: ((namespace, pod["metadata"]["labels"]), pod["spec"]["containers"][0].get("ports", []))
        for namespace, workload, pod in list_workloads(objects)
    }
    policies = of_kind(objects, "NetworkPolicy")
    places = OUTSIDE | {workload: place for workload, (place, _) in pods.items()}
    found = {
        (source, target, port["containerPort"])
        for source in places for target, (_, ports) in pods.items() for port in ports
        if source != target
        and _lets(policies, "Egress", places[source], places[target], port)
        and _lets(policies, "Ingress", places[target], places[source], port)
    }  # fmt: skip
    wanted = CERTIFIED_SERVICES if name == CERTIFIED else SERVICES
    assert found == wanted | (INSIDE if name == "dev" else set())


SECOND = {"registry": 7111, "tournament": 7112}


def test_with_certificates_workers_call_the_ports_where_they_show_theirs(
    built: dict[str, list[Object]],
) -> None:
    objects = built[CERTIFIED]
    told = {workload: (pod, one, values_of(one)) for workload, pod, one in list_containers(objects)}
    ports = {
        each["metadata"]["name"]: {port["name"]: port["port"] for port in each["spec"]["ports"]}
        for each in of_kind(objects, "Service")
    }
    for name, port in SECOND.items():
        *_, env = told[name]
        assert ports[name] == {"grpc": FRONT[name], "workers": port}
        assert env["MAUMAU_LISTEN_WORKERS"] == f"0.0.0.0:{port}"
        assert told["worker"][2][f"MAUMAU_{name.upper()}_ADDRESS"] == f"{name}.maumau.svc:{port}"
        assert not {"MAUMAU_TLS_CERT", "MAUMAU_TLS_CA"} & set(env)  # the first port is as it was
        assert f"MAUMAU_{name.upper()}_ADDRESS" not in told["sitter"][2]
    for workload, secret in (
        ("registry", "workers-port"),
        ("tournament", "workers-port"),
        ("worker", "host"),
    ):
        pod, container, env = told[workload]
        (mount,) = [each for each in container["volumeMounts"] if each["name"] == secret]
        (volume,) = [each for each in pod["volumes"] if each["name"] == secret]
        assert mount["readOnly"] is True
        assert volume["secret"]["secretName"] == secret
        assert volume["secret"]["defaultMode"] == 0o440  # for the group of the pod, and nobody else
        assert pod["securityContext"]["fsGroup"] == 10001
        files = sorted(value for setting, value in env.items() if "_TLS_" in setting)
        assert files == [f"/{secret}/{file}" for file in ("ca.crt", "tls.crt", "tls.key")]
        assert mount["mountPath"] == f"/{secret}"


@pytest.mark.long
def test_keda_scales_workers_that_show_certificates(built: dict[str, list[Object]], tmp_path: Path) -> None:
    kinds = [(each["kind"], each["metadata"]["name"]) for each in built["keda"] + _policies(built)]
    made = [*build_certified(tmp_path, "keda")]
    assert sorted((each["kind"], each["metadata"]["name"]) for each in made) == sorted(kinds)
    assert values_of(next(one for name, _, one in list_containers(made) if name == "worker"))["MAUMAU_TLS_CA"]


def _policies(built: dict[str, list[Object]]) -> list[Object]:
    """Return the network policies that certificates add to production."""
    return [
        each
        for each in of_kind(built[CERTIFIED], "NetworkPolicy")
        if each["metadata"]["name"] == "workers-port"
    ]


def test_in_production_stores_are_reached_at_their_addresses_and_ports_alone(
    built: dict[str, list[Object]],
) -> None:
    ways = {
        (policy["metadata"]["namespace"], to["ipBlock"]["cidr"], port["port"])
        for policy in of_kind(built["production"], "NetworkPolicy")
        for rule in policy["spec"].get("egress", []) for to in rule["to"] if "ipBlock" in to
        for port in rule["ports"]
    }  # fmt: skip
    assert ways == {
        ("maumau", "10.0.0.0/8", 5432),
        ("maumau", "10.0.0.0/8", 6379),
        ("maumau", "0.0.0.0/0", 443),
        ("maumau-workers", "10.0.0.0/8", 6379),
    }


def _lets(policies: list[Object], way: str, here: Place, there: Place, port: Object) -> bool:
    """Return True if a pod's policies allow it to connect to another, or to accept its connection."""
    mine = [
        policy["spec"] for policy in policies
        if policy["metadata"]["namespace"] == here[0] and way in policy["spec"]["policyTypes"]
        and _selects(policy["spec"]["podSelector"], here[1])
    ]  # fmt: skip
    side = "to" if way == "Egress" else "from"
    return not mine or any(
        any(_is_peer(peer, here[0], there) for peer in rule[side]) and _has_port(rule, port)
        for spec in mine for rule in spec.get(way.lower(), [])
    )  # fmt: skip


def _is_peer(peer: Object, namespace: str, there: Place) -> bool:
    if "ipBlock" in peer:
        return False
    wanted = peer.get("namespaceSelector")
    if wanted is None:
        inside = there[0] == namespace
    else:
        labels = {"kubernetes.io/metadata.name": there[0]}
        labels |= {key.removeprefix("namespace "): value for key, value in there[1].items()}
        inside = wanted["matchLabels"].items() <= labels.items()
    return inside and _selects(peer.get("podSelector", {}), there[1])


def _selects(selector: Object, labels: Mapping[str, str]) -> bool:
    for each in selector.get("matchExpressions", []):
        assert each["operator"] == "In"
        if labels.get(each["key"]) not in each["values"]:
            return False
    return selector.get("matchLabels", {}).items() <= labels.items()


def _has_port(rule: Object, port: Object) -> bool:
    return "ports" not in rule or any(
        each["protocol"] == "TCP" and each["port"] in {port["name"], port["containerPort"]}
        for each in rule["ports"]
    )
