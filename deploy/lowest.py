"""Tries the commands with whatever versions are installed: `make lowest` installs the lowest ones promised.

Run by the Python of that environment. Every module of `maumau` is imported, and commands that reach far into
the dependencies are run; none may end with a traceback.
"""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import tempfile
from pathlib import Path

APART = ("maumau.bots.", "maumau.templates.", "maumau.process.telemetry", "maumau.engine.generate")
"""Programs, which run in processes of their own, and what another extra is for."""
BIN = Path(sys.executable).parent
COMMANDS = {
    ("--version",): 0,
    ("rules", "show", "prsi"): 0,
    ("new", "my-bot"): 0,
    ("play", "greedy", "random", "--seed", "1"): 0,
    ("tournament", "list", "--arena", "127.0.0.1:1"): 3,
    ("ladder", "show", "prsi", "--arena", "127.0.0.1:1"): 3,
}
"""Commands by their arguments, and how each ends; where nobody listens it is said in one line."""


def main() -> None:
    """Exit code 1 if something does not work."""
    failures = [*import_all(), *run_all()]
    sys.stdout.writelines(f"{line}\n" for line in failures)
    sys.exit(bool(failures))


def import_all() -> list[str]:
    """Return what is wrong with modules that cannot be imported."""
    import maumau

    failures = []
    for found in pkgutil.walk_packages(maumau.__path__, "maumau."):
        if found.name.startswith(APART) or found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            failures.append(f"{found.name}: {type(error).__name__}: {error}")
    return failures


def run_all() -> list[str]:
    """Return what is wrong with commands that do not end as they should."""
    failures = []
    with tempfile.TemporaryDirectory() as home:
        for arguments, code in COMMANDS.items():
            done = subprocess.run(
                [BIN / "maumau", *arguments], cwd=home, env={"HOME": home, "PATH": f"{BIN}:/usr/bin:/bin"},
                capture_output=True, text=True, check=False, timeout=120,
            )  # fmt: skip
            said = done.stdout + done.stderr
            if done.returncode != code or "Traceback" in said:
                failures.append(f"maumau {' '.join(arguments)}: exit code {done.returncode}: {said[-400:]}")
    return failures


if __name__ == "__main__":
    main()
