"""The objects that are not Kubernetes' own: gateway, scaling, monitoring."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from bench.support.patience import patient
from tests.support.host import npm
from tests.support.manifests import Object

pytestmark = pytest.mark.long

VALIDATE = Path(__file__).with_name("crd.mjs")
PACKAGES = (
    "@kubernetes-models/gateway-api@2.0.0",
    "@kubernetes-models/keda@2.0.0",
    "@kubernetes-models/prometheus-operator@6.0.0",
)
GROUPS = ("gateway.networking.k8s.io", "keda.sh", "monitoring.coreos.com")

Validate = Callable[[list[Object]], list[str]]


@pytest.fixture(scope="module")
def validate(
    tmp_path_factory: pytest.TempPathFactory, not_tested: Callable[[str, str], NoReturn]
) -> Validate:
    """Return a function: the problems of objects, a line each."""
    folder = tmp_path_factory.mktemp("crd")
    npm.install_packages(folder, "gateway, scaling and monitoring on Kubernetes", not_tested, *PACKAGES)
    script = folder / VALIDATE.name
    script.write_text(VALIDATE.read_text())  # Node looks for packages beside it

    def run(objects: list[Object]) -> list[str]:
        words, given = [npm.find_node() / "bin/node", script], json.dumps(objects)
        done = subprocess.run(
            words, input=given, capture_output=True, text=True, check=True, timeout=patient(30)
        )
        return done.stdout.splitlines()

    return run


def test_every_object_is_one_that_its_project_knows(
    validate: Validate, built: dict[str, list[Object]]
) -> None:
    foreign = [each for each in built["keda"] if each["apiVersion"].partition("/")[0] in GROUPS]
    assert sorted(each["kind"] for each in foreign) == [
        "GRPCRoute", "Gateway", "HTTPRoute", "PodMonitor", "PodMonitor", "PrometheusRule", "ScaledObject",
    ]  # fmt: skip
    assert validate(foreign) == []


def test_a_wrong_value_a_misspelt_field_and_a_missing_one_are_found(
    validate: Validate, built: dict[str, list[Object]]
) -> None:
    wrong: dict[str, Any] = {
        each["kind"]: copy.deepcopy(each)
        for each in built["keda"] if each["kind"] in ("Gateway", "ScaledObject")
    }  # fmt: skip
    wrong["Gateway"]["spec"]["listeners"][0]["port"] = "https"
    wrong["ScaledObject"]["spec"]["maxReplicas"] = 5
    del wrong["ScaledObject"]["spec"]["triggers"]
    found = "\n".join(validate(list(wrong.values())))
    assert "Gateway arena: data/spec/listeners/0/port must be integer" in found
    assert "ScaledObject worker: /spec/maxReplicas is not in its schema" in found
    assert "data/spec must have required property triggers" in found
