"""What tests of manifests share."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.platform.manifests import CERTIFIED, OVERLAYS, ROOT, Object, build, build_certified


@pytest.fixture(scope="session")
def built(
    not_tested: Callable[[str, str], None], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Object]]:
    """The objects of each overlay."""
    if not shutil.which("kubectl"):
        not_tested("the manifests for Kubernetes", "kubectl is not installed")
    made = {name: [*build(ROOT / "k8s/overlays" / name)] for name in OVERLAYS if name != CERTIFIED}
    return made | {CERTIFIED: [*build_certified(tmp_path_factory.mktemp("certified"))]}
