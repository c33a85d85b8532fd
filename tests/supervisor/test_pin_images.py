"""python3 -m deploy.pin_images: digests, from a registry that runs and from one that asks for a token."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
import yaml

from bench.support.patience import Deadline
from deploy import pin_images
from deploy.certificates import PreparationError
from deploy.image_registry import ImageName, fetch_digest
from deploy.pin_images import Image, check_tag, format_compose, format_overlay, read_images
from tests.support.host import debian
from tests.support.manifests import build_manifests

ROOT = Path(__file__).parents[2]
IMAGES = read_images()
INDEX = "application/vnd.docker.distribution.manifest.list.v2+json"
MANIFEST = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": []}, indent=3).encode()
DIGEST = f"sha256:{hashlib.sha256(MANIFEST).hexdigest()}"
CONFIG = (
    "version: 0.1\nstorage: {{filesystem: {{rootdirectory: {folder}}}}}\nhttp: {{addr: '127.0.0.1:{port}'}}\n"
)


@pytest.mark.parametrize(
    ("name", "registry", "repository", "tag"),
    [
        ("postgres:17.11", "docker.io", "library/postgres", "17.11"),
        ("valkey/valkey:9.1.4", "docker.io", "valkey/valkey", "9.1.4"),
        ("quay.io/a/b:1", "quay.io", "a/b", "1"),
        ("localhost:5000/a:1", "localhost:5000", "a", "1"),
        ("images.test:5000/a/b/c:v1.2", "images.test:5000", "a/b/c", "v1.2"),
    ],
)
def test_a_name_is_read_as_docker_reads_it(name: str, registry: str, repository: str, tag: str) -> None:
    assert ImageName.parse(name) == ImageName(registry, repository, tag)


@pytest.mark.parametrize("name", ["postgres", "localhost:5000/a", "a@sha256:00", "a:1@sha256:00"])
def test_a_name_without_a_tag_is_refused(name: str) -> None:
    with pytest.raises(PreparationError, match="not the name of an image with a tag"):
        ImageName.parse(name)


@pytest.mark.parametrize(
    "name",
    [
        "postgres:latest", "postgres:17", "postgres:17-bookworm", "valkey/valkey:9.1", "valkey/valkey:9",
        "valkey/valkey:9.1-alpine", "python:3.13-slim", "python:slim", "prom/prometheus:v3", "a/b:main",
    ],
)  # fmt: skip
def test_a_tag_that_moves_by_itself_is_refused(name: str) -> None:
    with pytest.raises(PreparationError, match="does not say a whole version"):
        check_tag(Image(name.partition(":")[0], name, ()))


def test_what_runs_without_digests_has_the_versions_of_the_list_and_no_other_image_is_used() -> None:
    named = {image.key: image.name for image in IMAGES}
    compose = (ROOT / "docker-compose.yml").read_text()
    services = yaml.safe_load(compose)["services"]
    runs = {service: image.name for image in IMAGES for service in image.services}
    others = {
        name: each["image"] for name, each in services.items() if not each["image"].startswith("maumau-arena")
    }
    assert others == runs
    cluster = "".join(
        path.read_text() for path in (ROOT / "k8s").rglob("*.yaml") if path.parent.name != "pinned"
    )
    found = {name for name in re.findall(r"image: (\S+)", cluster) if not name.startswith("maumau-arena:")}
    assert found == {named[key] for key in pin_images.IN_CLUSTER}
    (base,) = re.findall(r"^ARG BASE=(.*)", (ROOT / "deploy/Dockerfile").read_text(), re.MULTILINE)
    assert base == named["python"]


@pytest.mark.long
def test_the_files_that_are_written_name_every_image_by_its_digest(
    tmp_path: Path, not_tested: Callable[[str, str], None]
) -> None:
    digests = {image.key: f"sha256:{number:064x}" for number, image in enumerate(IMAGES, 1)}
    written = yaml.safe_load(format_compose(digests, IMAGES))["services"]
    assert written.pop("registry") == {"build": {"args": {"BASE": f"python:3.13.14-slim@sha256:{1:064x}"}}}
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert {name: each["image"].partition("@")[0] for name, each in written.items()} == {
        name: each["image"] for name, each in services.items() if not each["image"].startswith("maumau-arena")
    }
    assert all(re.search(r"@sha256:[0-9a-f]{64}$", each["image"]) for each in written.values())
    if not shutil.which("kubectl"):
        not_tested("digests in the manifests for Kubernetes", "kubectl is not installed")
    shutil.copytree(ROOT / "k8s", tmp_path / "k8s", ignore=shutil.ignore_patterns("pinned"))
    (tmp_path / "k8s/pinned").mkdir()
    (tmp_path / "k8s/pinned/kustomization.yaml").write_text(format_overlay(digests, IMAGES))
    sets = [each for each in build_manifests(tmp_path / "k8s/pinned") if each["kind"] == "StatefulSet"]
    images = {
        each["metadata"]["name"]: each["spec"]["template"]["spec"]["containers"][0]["image"] for each in sets
    }
    keys = {"postgres": "postgres", "redis-state": "valkey", "redis-broker": "valkey"}
    names = {image.key: image.name.rpartition(":")[0] for image in IMAGES}
    assert images == {name: f"{names[key]}@{digests[key]}" for name, key in keys.items()}


# --- registries ---


class Registry(BaseHTTPRequestHandler):
    """One that gives manifests only to callers with a token, as Docker Hub does."""

    asked: ClassVar[list[str]] = []
    said: ClassVar[str] = DIGEST

    def do_GET(self) -> None:
        """Answer for the token and for the manifest."""
        self.asked.append(self.path)
        host = f"http://{self.headers['Host']}"
        if self.path.startswith("/token"):
            return self._answer(200, json.dumps({"token": "of-anybody"}).encode())
        if self.headers.get("Authorization") != "Bearer of-anybody":
            challenge = f'Bearer realm="{host}/token",service="registry.test",scope="repository:a/b:pull"'
            return self._answer(401, b"{}", {"WWW-Authenticate": challenge})
        if INDEX not in self.headers["Accept"]:
            return self._answer(
                404, b"{}"
            )  # for an image of several kinds a digest of one kind is the wrong one
        return self._answer(200, MANIFEST, {"Docker-Content-Digest": self.said})

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def with_tokens(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield the address of a registry that asks for a token."""
    monkeypatch.setattr(Registry, "asked", [])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_registry_that_wants_a_token_is_asked_for_one_that_reads_this_image(with_tokens: str) -> None:
    image = ImageName.parse("a/b:1.2.3")
    assert fetch_digest(image, {"docker.io": with_tokens}) == DIGEST
    manifest = "/v2/a/b/manifests/1.2.3"
    assert Registry.asked == [
        manifest, "/token?scope=repository%3Aa%2Fb%3Apull&service=registry.test", manifest,
    ]  # fmt: skip


def test_a_digest_that_is_not_that_of_what_was_sent_is_refused(
    with_tokens: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Registry, "said", f"sha256:{0:064x}")
    with pytest.raises(PreparationError, match="something between changes what it sends"):
        fetch_digest(ImageName.parse("a/b:1.2.3"), {"docker.io": with_tokens})


@pytest.fixture
def registry(tmp_path: Path, not_tested: Callable[[str, str], None]) -> Iterator[str]:
    """Yield the address of the registry program of Debian, which has one image."""
    try:
        program = debian.unpack_packages("docker-registry", "docker-registry") / "usr/bin/docker-registry"
    except (OSError, subprocess.SubprocessError) as error:
        not_tested("digests from a registry that really runs", f"Debian's package cannot be had ({error})")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "config.yml").write_text(CONFIG.format(folder=tmp_path / "images", port=port))
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([program, "serve", tmp_path / "config.yml"], stdout=log, stderr=log)
    address, deadline = f"http://127.0.0.1:{port}", Deadline(30)
    try:
        while not _answers(address):
            assert process.poll() is None, (tmp_path / "log").read_text()
            assert not deadline.has_passed()
            deadline.pause()
        yield address
    finally:
        process.terminate()
        process.wait()


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(f"{address}/v2/", timeout=5).close()
    except OSError:
        return False
    return True


def push(address: str, repository: str, tag: str, manifest: bytes) -> None:
    """Put an index of no images under a tag."""
    url, headers = f"{address}/v2/{repository}/manifests/{tag}", {"Content-Type": INDEX}
    request = urllib.request.Request(url, data=manifest, headers=headers, method="PUT")
    urllib.request.urlopen(request, timeout=20).close()


@pytest.mark.long
def test_every_image_is_pinned_to_what_its_registry_has_under_the_tag_and_again_when_it_moves(
    registry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifests = {
        image.key: MANIFEST + b" " * number  # each of other bytes
        for number, image in enumerate(IMAGES)
    }
    for image in IMAGES:
        name = ImageName.parse(image.name)
        push(registry, name.repository, name.tag, manifests[image.key])
    monkeypatch.setattr(pin_images, "TARGET", tmp_path / "images.yml")
    monkeypatch.setattr(pin_images, "OVERLAY", tmp_path / "pinned/kustomization.yaml")
    pin_images.write_pins({"docker.io": registry})
    digests = {key: f"sha256:{hashlib.sha256(each).hexdigest()}" for key, each in manifests.items()}
    assert (tmp_path / "images.yml").read_text() == format_compose(digests, IMAGES)
    assert pin_images.find_base(tmp_path / "images.yml") == f"python:3.13.14-slim@{digests['python']}"
    assert pin_images.find_base(tmp_path / "another.yml") == ""
    assert (tmp_path / "pinned/kustomization.yaml").read_text() == format_overlay(digests, IMAGES)

    push(registry, "valkey/valkey", "9.1.4", MANIFEST + b"\n")
    pin_images.write_pins({"docker.io": registry})
    moved = f"valkey/valkey:9.1.4@sha256:{hashlib.sha256(MANIFEST + bytes([10])).hexdigest()}"
    written = yaml.safe_load((tmp_path / "images.yml").read_text())["services"]
    assert {name for name, each in written.items() if each.get("image") == moved} == {
        "redis-state",
        "redis-broker",
    }


def test_nothing_is_written_unless_all_digests_were_found(
    registry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ImageName.parse(IMAGES[0].name)
    push(registry, first.repository, first.tag, MANIFEST)
    monkeypatch.setattr(pin_images, "TARGET", tmp_path / "images.yml")
    monkeypatch.setattr(pin_images, "OVERLAY", tmp_path / "pinned/kustomization.yaml")
    with pytest.raises(PreparationError, match=r"/v2/library/postgres/manifests/17\.11 has no such image"):
        pin_images.write_pins({"docker.io": registry})
    assert not (tmp_path / "images.yml").exists()


def test_a_registry_that_is_away_is_named_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(PreparationError, match=r"does not answer \(.*--mirror docker\.io="):
        fetch_digest(ImageName.parse("postgres:17.11"), {"docker.io": address})
