"""The oldest Redis that is promised, from Debian's packages."""

import subprocess
from pathlib import Path

from tests.support.host import debian

DEBIAN_REDIS = ("redis-server", "redis-tools", "liblua5.1-0", "lua-cjson", "lua-bitop", "libjemalloc2",
                "liblzf1", "libatomic1", "libhiredis0.14")  # fmt: skip
REDIS_PROMISED = "7.0."


def unpack_server() -> tuple[Path, str]:
    """Return the server and where its libraries are."""
    cache = debian.unpack_packages("redis7", *DEBIAN_REDIS)
    binary = cache / "usr/bin/redis-server"
    libraries = ":".join(sorted({str(path.parent) for path in cache.rglob("*.so*")}))
    environment = {"LD_LIBRARY_PATH": libraries}
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True, env=environment)
    if f"v={REDIS_PROMISED}" not in said.stdout:
        raise LookupError(f"Debian's Redis here is {said.stdout.split()[2]}, not {REDIS_PROMISED}x")
    return binary, libraries
