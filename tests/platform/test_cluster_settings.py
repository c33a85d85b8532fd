"""One file says all that is different in a cluster, and each value stands where Kubernetes wants it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from bench.support.checkout import ROOT
from tests.support.manifests import OF_THE_CLUSTER, build_manifests, list_containers, of_kind

FILLED = {
    "IMAGE": f"images.test:5000/arena/maumau:1.2.3@sha256:{7:064x}",
    "ARENA_HOST": "bots.test",
    "PAGES_HOST": "watch.test",
    "CERTIFICATE": "bots-certificate",
    "GATEWAY_CLASS": "envoy",
    "STORES": "10.9.8.0/24",
    "MAUMAU_PROXIES": "10.7.0.0/16",
    "BACKUPS": "s3://elsewhere/nightly",
    "MAUMAU_ARTIFACTS": "s3://ours/artifacts",
    "MAUMAU_EXPORTS": "s3://ours/exports",
    "MAUMAU_RECORDS": "s3://ours/records",
}


@pytest.mark.long
@pytest.mark.sample
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
    objects = [*build_manifests(tmp_path / "k8s/overlays" / overlay)]

    assert {one["image"] for _, _, one in list_containers(objects)} == {FILLED["IMAGE"]}
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
    for setting, url in (
        ("MAUMAU_PAGE_URL", "https://watch.test"),
        ("MAUMAU_SERVICES_URL", "https://bots.test"),
    ):
        told = {
            workload: entry["value"]
            for workload, _, each in list_containers(objects)
            for entry in each.get("env", [])
            if entry["name"] == setting
        }
        assert told == {"registry": url, "web": url}
    told = yaml.safe_dump_all(objects)
    assert not re.search(r"example\b|10\.0\.0\.0|s3://maumau", told)  # nothing else was there to fill in


@pytest.mark.long
def test_mail_and_logins_elsewhere_have_their_secrets_and_a_way_outside(
    not_tested: Callable[[str, str], None], tmp_path: Path
) -> None:
    if not shutil.which("kubectl"):
        not_tested("mail and logins in Kubernetes", "kubectl is not installed")
    shutil.copytree(ROOT / "k8s", tmp_path / "k8s")
    overlay = tmp_path / "k8s/overlays/production"
    path = overlay / "settings.env"
    given = {
        "MAUMAU_MAIL_FROM": "arena@bots.test", "MAUMAU_OIDC_ISSUER": "https://id.test",
        "MAUMAU_OIDC_CLIENT": "arena", "MAUMAU_OIDC_SECRET_FILE": "/run/secrets/oidc/secret",
    }  # fmt: skip
    words = path.read_text()
    for name, value in given.items():
        assert f"\n{name}=\n" in words, name
        words = words.replace(f"\n{name}=\n", f"\n{name}={value}\n")
    path.write_text(words)
    path = overlay / "kustomization.yaml"
    path.write_text(path.read_text() + "components: [../../components/outside]\n")
    objects = [*build_manifests(overlay)]

    told = of_kind(objects, "ConfigMap")
    settings = [one["data"] for one in told if one["metadata"]["name"].startswith("settings")]
    assert all(given.items() <= one.items() for one in settings)
    containers = {workload: (pod, one) for workload, pod, one in list_containers(objects)}
    (mail,) = [one for one in containers["registry"][1]["env"] if one["name"] == "MAUMAU_MAIL_URL"]
    assert mail["valueFrom"]["secretKeyRef"] == {"name": "mail", "key": "url", "optional": True}
    pod, web = containers["web"]
    (volume,) = [one for one in pod["volumes"] if one.get("secret", {}).get("secretName") == "oidc"]
    (mounted,) = [one for one in web["volumeMounts"] if one["name"] == volume["name"]]
    assert given["MAUMAU_OIDC_SECRET_FILE"].startswith(f"{mounted['mountPath']}/")
    ways = {one["metadata"]["name"]: one["spec"] for one in of_kind(objects, "NetworkPolicy")}
    ports = [one["port"] for one in ways["registry-outside"]["egress"][0]["ports"]]
    assert ports == [443, 465, 587]
    (block,) = ways["web-outside"]["egress"][0]["to"]
    assert "10.0.0.0/8" in block["ipBlock"]["except"]
