"""Build what is distributed, into dist/: the sources, the wheels, and `maumau-bot` for authors.

There is a wheel for every system and one for this platform, with the engine compiled. Without a C compiler
there is none of the latter, and a line says why. With MAUMAU_ENGINE=kept it is made of a build that is there,
if there is one, and with `source` not at all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FLAGS = {"auto": "--wait", "kept": "--kept"}
BUILD = [sys.executable, "-m", "hatchling", "build"]


def main() -> None:
    """Build all; a wheel for this platform only if the engine can be compiled."""
    subprocess.run(BUILD, cwd=ROOT, check=True)
    small = [*BUILD, "--target", "wheel", "--directory", str(ROOT / "dist")]
    subprocess.run(small, cwd=ROOT / "deploy/maumau-bot", check=True)
    flag = FLAGS.get(os.environ.get("MAUMAU_ENGINE") or "auto")
    if not flag:
        return
    if flag == "--wait":
        sys.stdout.write("compiling the engine for this platform, which takes a minute or more\n")
        sys.stdout.flush()
    command = [sys.executable, "-m", "maumau.engine.build", flag]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stdout.write(f"no wheel for this platform alone: {done.stderr.strip().removeprefix('error: ')}\n")
        return
    env = {**os.environ, "MAUMAU_COMPILED": done.stdout.strip()}
    subprocess.run([*BUILD, "--target", "wheel"], cwd=ROOT, env=env, check=True)


if __name__ == "__main__":
    main()
