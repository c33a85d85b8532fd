"""Programs and libraries from Debian's packages, unpacked into the user's cache without root, once."""

import os
import subprocess
import tempfile
from pathlib import Path

from bench.support.patience import patient


def unpack_packages(name: str, *packages: str) -> Path:
    """Return the folder where these packages are unpacked; raises what apt-get or dpkg fails with."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "maumau" / name
    if not cache.is_dir():
        _unpack_into(packages, cache)
    return cache


def _unpack_into(packages: tuple[str, ...], folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        subprocess.run(
            ["apt-get", "download", *packages], cwd=work, check=True, capture_output=True, timeout=patient(60)
        )
        for package in Path(work).glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, f"{work}/root"], check=True, capture_output=True)
        try:
            Path(f"{work}/root").rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process of this run was first
                raise
