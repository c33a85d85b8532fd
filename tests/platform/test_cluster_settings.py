"""One file says all that is different in a cluster, and each value stands where Kubernetes wants it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.platform.manifests import OF_THE_CLUSTER, ROOT, build, containers, of_kind

FILLED = {
    "IMAGE": "images.test:5000/arena/maumau:1.2.3",
    "ARENA_HOST": "bots.test",
    "PAGES_HOST": "watch.test",
    "CERTIFICATE": "bots-certificate",
    "GATEWAY_CLASS": "envoy",
    "STORES": "10.9.8.0/24",
    "BACKUPS": "s3://elsewhere/nightly",
    "MAUMAU_ARTIFACTS": "s3://ours/artifacts",
    "MAUMAU_EXPORTS": "s3://ours/exports",
    "MAUMAU_RECORDS": "s3://ours/records",
}


@pytest.mark.parametrize("overlay", ["production", "keda"])
def test_one_file_of_settings_is_all_that_a_cluster_fills_in(
    overlay: str, not_tested: Callable[[str, str], None], tmp_path: Path
) -> None:
    if not shutil.which("kubectl"):
        not_tested("the settings for Kubernetes", "kubectl is not installed")
    shutil.copytree(ROOT / "k8s", tmp_path / "k8s")
    assert FILLED.keys() >= OF_THE_CLUSTER
    path = tmp_path / "k8s/overlays/production/settings.env"
    words = path.read_text()
    for name, value in FILLED.items():
        words, count = re.subn(rf"^{name}=.*$", f"{name}={value}", words, flags=re.MULTILINE)
        assert count == 1, name
    path.write_text(words)
    objects = [*build(tmp_path / "k8s/overlays" / overlay)]

    assert {one["image"] for _, _, one in containers(objects)} == {FILLED["IMAGE"]}
    (gateway,) = of_kind(objects, "Gateway")
    assert gateway["spec"]["gatewayClassName"] == "envoy"
    listeners = {one["name"]: one for one in gateway["spec"]["listeners"]}
    assert {name: one["hostname"] for name, one in listeners.items()} == {
        "https": "bots.test", "pages": "watch.test",
    }  # fmt: skip
    certificates = [one["tls"]["certificateRefs"] for one in listeners.values()]
    assert certificates == [[{"name": "bots-certificate"}]] * 2
    hosts = {one["kind"]: one["spec"]["hostnames"] for one in of_kind(objects, "GRPCRoute", "HTTPRoute")}
    assert hosts == {"GRPCRoute": ["bots.test"], "HTTPRoute": ["watch.test"]}
    stores = {
        one["metadata"]["name"]: one["spec"]["egress"][0]["to"]
        for one in of_kind(objects, "NetworkPolicy")
        if one["metadata"]["name"] in {"to-stores", "to-broker", "backup"}
    }
    assert sorted(stores) == ["backup", "to-broker", "to-stores"]
    assert list(stores.values()) == [[{"ipBlock": {"cidr": "10.9.8.0/24"}}]] * 3
    told = yaml.safe_dump_all(objects)
    assert not re.search(r"example\b|10\.0\.0\.0|s3://maumau", told)  # nothing else was there to fill in
