"""Looks up the digests of others' images and writes them down: `python3 -m deploy.pin_images`.

A tag is whatever its owner says it is today; a digest is one image for ever. deploy/images.toml has the tags.
Their registries say the digests, which go to deploy/images.yml, a file of compose, and to k8s/pinned, an
overlay over the one for a single node. `deploy.prepare` does so at the first start; run it again after a new
version of images.toml, or to take up what was mended under the same tag. Standard library only.

    --mirror docker.io=https://mirror.example    ask a mirror in place of a registry
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.certificates import PreparationError
from deploy.image_registry import ImageName, fetch_digest

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "deploy/images.toml"
TARGET = ROOT / "deploy/images.yml"
OVERLAY = ROOT / "k8s/pinned/kustomization.yaml"
IN_CLUSTER = ("postgres", "valkey")
"""Of the single node's overlay; a cluster for contests has its own stores."""
WHOLE_VERSION = re.compile(r"v?\d+\.\d+(\.\d+)?(-[a-z0-9.]+)?")
PARTS = {"postgres": 2}
"""The number of parts of a complete version, where it is not three."""
HEADER = (
    "# Written by `python3 -m deploy.pin_images`, which looks the digests up anew: change nothing here.\n"
)


@dataclass(frozen=True)
class Image:
    """An image of others: its key in images.toml, its name and tag, the services of compose that run it."""

    key: str
    name: str
    services: tuple[str, ...]


def read_images(path: Path = IMAGES) -> list[Image]:
    """Return the images of a file.

    Raises:
        PreparationError: if one has no tag, or one that does not say the whole version.
    """
    found = tomllib.loads(path.read_text())
    images = [Image(key, each["image"], tuple(each.get("services", ()))) for key, each in found.items()]
    for image in images:
        check_tag(image)
    return images


def check_tag(image: Image) -> None:
    """Raise PreparationError unless the tag names a complete version."""
    tag = ImageName.parse(image.name).tag
    numbers = tag.removeprefix("v").partition("-")[0].split(".")
    if not WHOLE_VERSION.fullmatch(tag) or len(numbers) != PARTS.get(image.key, 3):
        raise PreparationError(
            f"{image.name} does not say a whole version: such a tag moves from one to the next by itself"
        )


def format_compose(digests: Mapping[str, str], images: list[Image]) -> str:
    """Return a file of compose that names each image with its digest."""
    lines = [f'  registry: {{build: {{args: {{BASE: "{_pinned("python", digests, images)}"}}}}}}']
    lines += [
        f'  {service}: {{image: "{_pinned(image.key, digests, images)}"}}'
        for image in images
        for service in image.services
    ]
    return HEADER + "services:\n" + "".join(f"{line}\n" for line in lines)


def format_overlay(digests: Mapping[str, str], images: list[Image]) -> str:
    """Return a kustomization over the overlay for a single node that replaces tags by digests."""
    names = {image.key: image.name.rpartition(":")[0] for image in images}
    lines = [f'  - {{name: {names[key]}, digest: "{digests[key]}"}}' for key in IN_CLUSTER]
    head = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
    return f"{HEADER}{head}resources: [../overlays/dev]\nimages:\n" + "".join(f"{line}\n" for line in lines)


def _pinned(key: str, digests: Mapping[str, str], images: list[Image]) -> str:
    (name,) = (image.name for image in images if image.key == key)
    return f"{name}@{digests[key]}"


def find_base(path: Path = TARGET) -> str:
    """Return the pinned Python image, or an empty string if there is none."""
    found = re.search(r'BASE: "([^"]+)"', path.read_text()) if path.exists() else None
    return found[1] if found else ""


def write_pins(mirrors: Mapping[str, str] | None = None) -> None:
    """Look every digest up, then write both files; none is written unless all were found.

    Raises:
        PreparationError: if a registry does not answer, or does not have an image.
    """
    images = read_images()
    digests = {image.key: fetch_digest(ImageName.parse(image.name), mirrors or {}) for image in images}
    for path, words in (
        (TARGET, format_compose(digests, images)),
        (OVERLAY, format_overlay(digests, images)),
    ):
        path.parent.mkdir(exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(words)
        fresh.chmod(0o644)
        fresh.rename(path)
    for image in images:
        sys.stdout.write(f"{image.name}: {digests[image.key]}\n")


def main() -> None:
    """Exit 1 with a sentence, changing nothing, if a digest is unavailable."""
    parser = argparse.ArgumentParser(prog="python3 -m deploy.pin_images", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--mirror", action="append", default=[], metavar="REGISTRY=URL")
    parser.add_argument("--check", action="store_true", help="only say whether every tag is a whole version")
    options = parser.parse_args()
    try:
        if options.check:
            read_images()
        else:
            write_pins(dict(_split_mirror(each) for each in options.mirror))
    except (PreparationError, OSError) as error:
        sys.exit(f"error: {error}")


def _split_mirror(words: str) -> tuple[str, str]:
    registry, equals, url = words.partition("=")
    if not equals or not url.startswith(("http://", "https://")):
        raise PreparationError(
            f"--mirror is REGISTRY=URL, such as docker.io=https://mirror.example, not {words}"
        )
    return registry, url.rstrip("/")


if __name__ == "__main__":
    main()
