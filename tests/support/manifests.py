"""The objects of the overlays for Kubernetes, as `kubectl kustomize` builds them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bench.support.checkout import ROOT
from bench.support.patience import patient

CERTIFIED = "production with host certificates"
FRONT = {"registry": 7101, "tournament": 7102, "engine": 7103, "matchmaking": 7104, "web": 7100}
OURS = {*FRONT, "worker", "sitter"}
OVERLAYS = ("dev", "production", "keda", CERTIFIED)
OF_THE_CLUSTER = {"IMAGE", "ARENA_HOST", "PAGES_HOST", "CERTIFICATE", "GATEWAY_CLASS", "STORES", "BACKUPS"}
"""Entries of settings.env that the manifests go by, and no service."""
COMPONENT = "components: [../../components/host-certificates]\n"

Object = dict[str, Any]


def build_manifests(folder: Path) -> Iterator[Object]:
    done = subprocess.run(
        ["kubectl", "kustomize", folder], capture_output=True, text=True, check=False, timeout=patient(60)
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # warnings too
    return (each for each in yaml.safe_load_all(done.stdout) if each)


def build_certified(folder: Path, overlay: str = "production") -> Iterator[Object]:
    """Return the objects of an overlay of production with the line for certificates of hosts uncommented."""
    shutil.copytree(ROOT / "k8s", folder / "k8s", dirs_exist_ok=True)
    path = folder / "k8s/overlays/production/kustomization.yaml"
    words = path.read_text()
    assert f"# {COMPONENT}" in words
    path.write_text(words.replace(f"# {COMPONENT}", COMPONENT))
    return build_manifests(folder / "k8s/overlays" / overlay)


def of_kind(objects: list[Object], *kinds: str) -> list[Object]:
    return [each for each in objects if each["kind"] in kinds]


def list_workloads(objects: list[Object]) -> Iterator[tuple[str, str, Object]]:
    """Namespace, name and pod of everything that runs."""
    for each in of_kind(objects, "Deployment", "StatefulSet", "DaemonSet", "Job"):
        yield each["metadata"]["namespace"], each["metadata"]["name"], each["spec"]["template"]
    for each in of_kind(objects, "CronJob"):
        template = each["spec"]["jobTemplate"]["spec"]["template"]
        yield each["metadata"]["namespace"], each["metadata"]["name"], template


def list_containers(objects: list[Object]) -> Iterator[tuple[str, Object, Object]]:
    """Name of the workload, its pod's spec, the container."""
    for _, name, pod in list_workloads(objects):
        for each in [*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])]:
            yield name, pod["spec"], each


def values_of(container: Object) -> dict[str, str]:
    """Return the settings that a container is given as they are, by name; "" for those from elsewhere."""
    return {each["name"]: each.get("value", "") for each in container.get("env", [])}
