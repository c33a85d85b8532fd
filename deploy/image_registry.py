"""Digests by the API of the OCI distribution specification, which every registry of images speaks."""

from __future__ import annotations

import hashlib
import json
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

from deploy.certificates import PreparationError

ACCEPTED = (
    "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json,"
    " application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json"
)
"""The list of an image for all kinds of processors, else the image for one: so all hosts pin one digest."""
DOCKER_HUB, ITS_ADDRESS = "docker.io", "https://registry-1.docker.io"
SECONDS = 20.0
MAX_BYTES = 4 << 20
"""Of a manifest, as the specification recommends."""
CHALLENGE = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True)
class ImageName:
    """A registry, a repository in it and a tag."""

    registry: str
    repository: str
    tag: str

    @classmethod
    def parse(cls, name: str) -> Self:
        """Return the parts of a name as Docker reads it: without a registry it is one of Docker Hub.

        Raises:
            PreparationError: if it has no tag, or has a digest already.
        """
        path, colon, tag = name.rpartition(":")
        if "@" in name or not colon or "/" in tag:
            raise PreparationError(f"{name} is not the name of an image with a tag")
        first, _, rest = path.partition("/")
        if rest and ("." in first or ":" in first or first == "localhost"):
            return cls(first, rest, tag)
        return cls(DOCKER_HUB, path if rest else f"library/{path}", tag)


def fetch_digest(image: ImageName, mirrors: Mapping[str, str]) -> str:
    """Return the tag's present digest, computed from the manifest itself.

    Args:
        image: what is asked for.
        mirrors: the address to ask in place of a registry, by the registry's name.

    Raises:
        PreparationError: if the registry does not answer, does not have the image, or says another digest
            than that of the manifest which it sends.
    """
    known = {DOCKER_HUB: ITS_ADDRESS} | dict(mirrors)
    address = known.get(image.registry, f"https://{image.registry}")
    url = f"{address}/v2/{image.repository}/manifests/{image.tag}"
    body, told = _fetch_manifest(url, image)
    digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
    if told.startswith("sha256:") and told != digest:
        raise PreparationError(
            f"{url} says {told} and sends {digest}; something between changes what it sends"
        )
    return digest


def _fetch_manifest(url: str, image: ImageName) -> tuple[bytes, str]:
    """Return the manifest and the digest that the registry says it has."""
    headers = {"Accept": ACCEPTED}
    try:
        return _get(url, headers)
    except urllib.error.HTTPError as error:
        if error.code != 401:  # even public images are given only to callers with a token
            raise _explain(url, error) from None
        challenge = error.headers.get("WWW-Authenticate", "")
    except OSError as error:
        raise _explain(url, error) from None
    try:
        return _get(url, headers | {"Authorization": f"Bearer {_fetch_token(challenge, image)}"})
    except OSError as error:
        raise _explain(url, error) from None


def _fetch_token(challenge: str, image: ImageName) -> str:
    """Return the token that a registry gives to anybody for reading this repository."""
    kind, _, rest = challenge.partition(" ")
    asked = dict(CHALLENGE.findall(rest))
    realm = asked.get("realm", "")
    if kind.lower() != "bearer" or urlsplit(realm).scheme not in {"http", "https"}:
        raise PreparationError(
            f"{image.registry} wants a login ({kind or 'of no kind'}), and public images need none"
        )
    query = {"scope": f"repository:{image.repository}:pull"}
    if "service" in asked:
        query["service"] = asked["service"]
    try:
        body, _ = _get(f"{realm}?{urlencode(query)}", {})
        answer: dict[str, Any] = json.loads(body)
        return str(answer.get("token") or answer["access_token"])
    except OSError as error:
        raise _explain(realm, error) from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise PreparationError(f"{realm} gives no token") from None


def _get(url: str, headers: Mapping[str, str]) -> tuple[bytes, str]:
    request = urllib.request.Request(url, headers=dict(headers))  # noqa: S310 - http or https, as checked
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
        body = answer.read(MAX_BYTES + 1)
        if len(body) > MAX_BYTES:
            raise PreparationError(f"{url} sends more than {MAX_BYTES} bytes, which is no manifest")
        return body, answer.headers.get("Docker-Content-Digest", "")


def _explain(url: str, error: OSError) -> PreparationError:
    if isinstance(error, urllib.error.HTTPError):
        words = "has no such image" if error.code == 404 else f"answers {error.code} {error.reason}"
        return PreparationError(f"{url} {words}")
    reason = getattr(error, "reason", error)
    return PreparationError(
        f"{url} does not answer ({reason}): the digests of images are looked up there. Try again, or ask a"
        " mirror: python3 -m deploy.pin_images --mirror docker.io=https://mirror.example"
    )
