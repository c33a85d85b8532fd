"""What tests of manifests share."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.platform.manifests import OVERLAYS, ROOT, Object, build


@pytest.fixture(scope="session")
def built(not_tested: Callable[[str, str], None]) -> dict[str, list[Object]]:
    """The objects of each overlay."""
    if not shutil.which("kubectl"):
        not_tested("the manifests for Kubernetes", "kubectl is not installed")
    return {name: [*build(ROOT / "k8s/overlays" / name)] for name in OVERLAYS}
