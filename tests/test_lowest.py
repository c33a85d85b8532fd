"""The lowest versions that pyproject.toml promises are those that generated code asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
GENERATED = ROOT / "maumau" / "v1"


def read_bounds() -> dict[str, str]:
    """Return the lowest version of each package, of all extras; a package has the same one everywhere."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [one for extra in project["optional-dependencies"].values() for one in extra]
    found: dict[str, str] = {}
    for one in (*project["dependencies"], *extras):
        if match := re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", one):
            assert found.setdefault(match[1], match[2]) == match[2]
    return found


def find_needed(pattern: str, where: str) -> str:
    """Return the one version that all generated files of a kind name."""
    (version,) = {re.search(pattern, path.read_text())[1] for path in GENERATED.glob(where)}  # type: ignore[index]
    return version


def test_protobuf_and_grpcio_are_not_older_than_the_code_made_for_them() -> None:
    """With an older one every command ended with a traceback."""
    bounds = read_bounds()
    assert bounds["protobuf"] == find_needed(r"Protobuf Python Version: ([\d.]+)", "*_pb2.py")
    needed = find_needed(r"GRPC_GENERATED_VERSION = '([\d.]+)'", "*_pb2_grpc.py")
    grpc = {name for name in bounds if name.startswith("grpcio")}
    assert grpc >= {"grpcio", "grpcio-status", "grpcio-health-checking", "grpcio-reflection", "grpcio-tools"}
    assert {bounds[name] for name in grpc} == {needed}
