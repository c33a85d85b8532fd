"""The modules that are compiled, how, and the hash that a build of them is kept under."""

from __future__ import annotations

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
GROUP = "maumau"
LIBRARY = f"{GROUP}__mypyc"
"""The module with the code of all compiled ones, which only lead to it."""
OPTIMISATION = "1"
"""The C compiler's level: 2 and 3 take twice the time and play hardly faster (compiled-engine.md)."""
SLOW = {"__init__", "mistake", "own", "scenario"}
"""Names of modules of the game that are not time-critical, or would not do the same compiled."""
TABLE = (
    "protocol/question",
    "referee/channel",
    "referee/overhead",
    "referee/play",
    "referee/player",
    "referee/process",
    "referee/run",
    "referee/seating",
    "sandbox/kernel/cgroup",
)
"""The parts of the table that run for every decision."""
DECLARES = ("(Struct", "(msgspec.Struct")
"""The mark of modules that stay source: msgspec makes their classes itself."""
HASHED = ("errors", "game", "process", "protocol", "referee", "sandbox")
"""The folders whose change may change the compiled code: what compiled modules import is compiled in."""
RECIPE = ("__init__.py", "finder.py", "generate.py", "modules.py")
"""The modules of this folder that say how it is compiled, or are imported beside it."""
SUFFIX = EXTENSION_SUFFIXES[0]


def list_modules(package: Path = PACKAGE) -> list[str]:
    """Return the paths of all modules to compile, from the package's parent on."""
    game = [path for path in sorted((package / "game").rglob("*.py")) if path.stem not in SLOW]
    found = game + [package / f"{name}.py" for name in TABLE]
    return [
        str(path.relative_to(package.parent))
        for path in found
        if not any(word in path.read_text(encoding="utf-8") for word in DECLARES)
    ]


def list_sources(package: Path = PACKAGE) -> list[str]:
    """Return the paths of everything that the compiled code depends on, in order."""
    found = [package / "__init__.py", *(package / "engine" / name for name in RECIPE)]
    for name in HASHED:
        found += sorted((package / name).rglob("*.py"))
    return [str(path.relative_to(package.parent)) for path in found]


def compute_key(package: Path = PACKAGE) -> str:
    """Return the hash of the sources, this Python and this C library: builds with another are not for it."""
    from hashlib import sha256

    digest = sha256(f"{sys.version}\0{SUFFIX}\0{_find_libc()}\0".encode())
    for name in list_sources(package):
        content = (package.parent / name).read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:32]


def _find_libc() -> str:
    """Return the C library's name and version: a home folder may be shared by several machines."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (OSError, ValueError):
        return ""
