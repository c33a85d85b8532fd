"""What is generated and committed is what would be generated now: run by `make check`."""

import sys
import tempfile
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

from deploy import alerts, metrics
from deploy.dashboards import files as dashboards
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
    """Names of the generated files that are missing or differ."""
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        fresh = {path.name: path.read_bytes() for path in (Path(folder) / "maumau/v1").iterdir()}
    return [name for name, code in sorted(fresh.items()) if read(name) != code]


def read(name: str) -> bytes:
    """The committed file, or nothing."""
    path = Path("maumau/v1") / name
    return path.read_bytes() if path.exists() else b""


if __name__ == "__main__":
    if Path("docs/rules.md").read_text(encoding="utf-8") != rules.text():
        sys.exit("docs/rules.md is stale, run `make rules`")
    if pages := reference.find_stale():
        sys.exit(f"run `make rules`, these pages are stale: {', '.join(map(str, pages))}")
    if metrics.PAGE.read_text(encoding="utf-8") != metrics.text():
        sys.exit("docs/metrics.md is stale, run `make metrics` (python -m deploy.metrics)")
    if alerts.RESOURCE.read_text(encoding="utf-8") != alerts.text():
        sys.exit(f"{alerts.RESOURCE} is stale, run `make metrics` (python -m deploy.alerts)")
    if names := dashboards.find_stale():
        sys.exit(f"dashboards are stale, run `make dashboards`: {', '.join(names)}")
    if names := stale():
        sys.exit(f"generated code is stale, run `make proto`: {', '.join(names)}")
