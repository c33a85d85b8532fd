"""Checks that generated files in the repository are up to date: run by `make check`."""

import sys
import tempfile
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

from deploy import alerts, catalogues, metrics
from deploy.dashboards import files as dashboards
from maumau.data import schema
from maumau.rulebook import __main__ as rules
from maumau.rulebook import reference

STANDARD = Path(grpc_tools.__file__).parent / "_proto"


def generate(into: Path) -> None:
    """Generate the Python code of every proto file into a folder."""
    protos = sorted(str(path) for path in Path("proto/maumau/v1").glob("*.proto"))
    options = [f"--{kind}_out={into}" for kind in ("python", "pyi", "grpc_python")]
    if protoc.main(["protoc", "-Iproto", f"-I{STANDARD}", *options, *protos]):
        sys.exit("the contract does not compile")


def stale() -> list[str]:
    """Return the names of the generated files that are missing or differ."""
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        fresh = {path.name: path.read_bytes() for path in (Path(folder) / "maumau/v1").iterdir()}
    return [name for name, code in sorted(fresh.items()) if read(name) != code]


def read(name: str) -> bytes:
    """Return the committed file; empty if it is missing."""
    path = Path("maumau/v1") / name
    return path.read_bytes() if path.exists() else b""


if __name__ == "__main__":
    if Path("docs/reference/rules.md").read_text(encoding="utf-8") != rules.page_text():
        sys.exit("docs/reference/rules.md is stale, run `make rules`")
    if pages := reference.find_stale():
        sys.exit(f"run `make rules`, these pages are stale: {', '.join(map(str, pages))}")
    if schema.is_stale():
        sys.exit(f"{schema.PAGE} is stale, run `make rules` (python -m maumau.data.schema)")
    if metrics.PAGE.read_text(encoding="utf-8") != metrics.text():
        sys.exit("docs/reference/metrics.md is stale, run `make metrics` (python -m deploy.metrics)")
    if alerts.RESOURCE.read_text(encoding="utf-8") != alerts.text():
        sys.exit(f"{alerts.RESOURCE} is stale, run `make metrics` (python -m deploy.alerts)")
    if names := dashboards.find_stale():
        sys.exit(f"dashboards are stale, run `make dashboards`: {', '.join(names)}")
    if names := catalogues.find_stale():
        sys.exit(f"run `make words` (python -m deploy.catalogues), stale: {', '.join(names)}")
    if names := stale():
        sys.exit(f"generated code is stale, run `make proto`: {', '.join(names)}")
