"""Builds the image and says what is in it: `python -m deploy.image NAME [--base IMAGE] [--bom-only]`.

The labels name version, commit and rules; dist/ gets a CycloneDX list (an SBOM) of all packages that the
lock file of the image installs, with their hashes. The same lock file gives the same list.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from deploy.pin_images import find_base
from maumau.build import Build, describe_build

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements-image.lock"


def build_arguments(build: Build) -> dict[str, str]:
    """Return the build arguments of the Dockerfile."""
    return {"VERSION": build.version, "COMMIT": build.commit, "RULES_HASH": build.rules_hash}


def write_bom(build: Build, folder: Path) -> Path:
    """Write the list of packages and return its path."""
    folder.mkdir(exist_ok=True)
    path = folder / f"maumau-arena-{build.version}.cdx.json"
    command = [
        sys.executable, "-W", "ignore", "-m", "cyclonedx_py", "requirements", str(LOCK),
        "--pyproject", str(ROOT / "pyproject.toml"), "--output-format", "JSON",
        "--output-reproducible", "--output-file", str(path),
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m deploy.image", description=__doc__)
    parser.add_argument("name", help="of the image, such as registry.example/maumau-arena")
    parser.add_argument("--base", default="", help="an image with Python in place of the pinned one")
    parser.add_argument("--bom-only", action="store_true", help="build nothing")
    options = parser.parse_args()
    build = describe_build()
    sys.stdout.write(f"{write_bom(build, ROOT / 'dist')}\n")
    if options.bom_only:
        return
    base = options.base or find_base()
    told = build_arguments(build) | ({"BASE": base} if base else {})
    words = [word for name, value in told.items() for word in ("--build-arg", f"{name}={value}")]
    tag = [word for each in (build.version, "latest") for word in ("--tag", f"{options.name}:{each}")]
    subprocess.run(
        ["docker", "build", "--file", "deploy/Dockerfile", *tag, *words, "."], cwd=ROOT, check=True
    )


if __name__ == "__main__":
    main()
