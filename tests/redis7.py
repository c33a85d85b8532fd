"""The oldest Redis that is promised, from Debian's packages."""

import os
import subprocess
import tempfile
from pathlib import Path

from bench.patience import patient

DEBIAN_REDIS = ("redis-server", "redis-tools", "liblua5.1-0", "lua-cjson", "lua-bitop", "libjemalloc2",
                "liblzf1", "libatomic1", "libhiredis0.14")  # fmt: skip
REDIS_PROMISED = "7.0."


def unpack() -> tuple[Path, str]:
    """The server and where its libraries are: unpacked into the user's cache without root, once."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "maumau" / "redis7"
    binary = cache / "usr/bin/redis-server"
    if not binary.exists():
        _unpack_debian(DEBIAN_REDIS, cache)
    libraries = ":".join(sorted({str(path.parent) for path in cache.rglob("*.so*")}))
    environment = {"LD_LIBRARY_PATH": libraries}
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True, env=environment)
    if f"v={REDIS_PROMISED}" not in said.stdout:
        raise LookupError(f"Debian's Redis here is {said.stdout.split()[2]}, not {REDIS_PROMISED}x")
    return binary, libraries


def _unpack_debian(packages: tuple[str, ...], folder: Path) -> None:
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
