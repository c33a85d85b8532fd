"""Shared fixtures of tests of manifests."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from bench.support.checkout import ROOT
from tests.support.manifests import CERTIFIED, OVERLAYS, Object, build_certified, build_manifests


@pytest.fixture(scope="session")
def built(
    not_tested: Callable[[str, str], None], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Object]]:
    """Return the objects of each overlay."""
    if not shutil.which("kubectl"):
        not_tested("the manifests for Kubernetes", "kubectl is not installed")
    made = {name: [*build_manifests(ROOT / "k8s/overlays" / name)] for name in OVERLAYS if name != CERTIFIED}
    return made | {CERTIFIED: [*build_certified(tmp_path_factory.mktemp("certified"))]}
