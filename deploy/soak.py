"""`make demo` and `maumau verify` as a new user does them, N times: `python3 deploy/soak.py N`.

Each time in an empty clone with an empty home and the caches of the package installers. A line for each with
its seconds; exit 1 unless all were decided and verified.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 900.0
"""Seconds after which one has failed."""


def main() -> None:
    """Report how many of the runs succeeded."""
    wanted = int(sys.argv[1])
    ended = sum(tell(number) for number in range(1, wanted + 1))
    sys.stdout.write(f"{ended} of {wanted} decided and verified\n")
    sys.exit(ended < wanted)


def tell(number: int) -> bool:
    """Run once; return True if the demo was decided and verified."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="soak-") as place:
        try:
            words = play(Path(place))
        except subprocess.SubprocessError as error:
            words = f"failed: {error}\n{(getattr(error, 'stdout', None) or b'').decode()[-2000:]}"
    sys.stdout.write(f"{number}: {time.monotonic() - began:.0f} s, {words}\n")
    sys.stdout.flush()
    return not words.startswith("failed")


def play(place: Path) -> str:
    """Clone, play, verify; return the last line of verify. Raises SubprocessError."""
    home, clone = place / "home", place / "maumau-arena"
    home.mkdir()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    caches = {"UV_CACHE_DIR": str(cache / "uv"), "PIP_CACHE_DIR": str(cache / "pip")}
    env = {**caches, **os.environ, "HOME": str(home), "TMPDIR": str(place), "MAUMAU_ENGINE": "source"}
    run(["git", "clone", "--quiet", str(ROOT), str(clone)], place, env)
    said = run(["make", "demo"], clone, env)
    verify = shlex.split(said.splitlines()[-1])
    return run(verify, clone, env).strip().splitlines()[-1]


def run(command: list[str], folder: Path, env: dict[str, str]) -> str:
    """Return the command's stdout; stderr is shown."""
    done = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, timeout=PATIENCE, check=True)
    return done.stdout.decode()


if __name__ == "__main__":
    main()
