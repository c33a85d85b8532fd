"""Compile the engine and the busiest parts of the table with mypyc, for a wheel or an image.

    python deploy/compiled.py

compiles in place, beside the sources, in a folder that is thrown away or installed from (deploy/Dockerfile).
A checkout uses no modules compiled in place, which may be older than their sources: `make compiled` keeps a
build for it in the user's cache (docs/explanation/compiled-engine.md).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Compile in place."""
    sys.path.insert(0, str(ROOT))
    from maumau.engine.build import GENERATE
    from maumau.engine.modules import GROUP, OPTIMISATION, list_modules

    names = list_modules(ROOT / "maumau")
    command = [sys.executable, "-P", str(GENERATE), GROUP, OPTIMISATION, *names]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": ""}, check=True)


if __name__ == "__main__":
    main()
