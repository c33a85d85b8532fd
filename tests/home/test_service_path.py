"""The import path of the services: no other package of that name wins."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIND = "from importlib.util import find_spec; print(find_spec('services').origin)"
ADD = f"""
import os, subprocess, sys
from maumau.process.service_path import add_services
add_services()
{FIND}
subprocess.run([sys.executable, "-c", {FIND!r}], check=True)
"""


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder with a package `services` of somebody else."""
    folder = tmp_path / "foreign"
    (folder / "services").mkdir(parents=True)
    (folder / "services" / "__init__.py").write_text("raise SystemExit('a foreign package')")
    return folder


def find_services(folder: Path, *path: Path) -> list[str]:
    """Return where a command and a process that it starts in a folder find `services`, with a PYTHONPATH."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    env.pop("PYTHONSAFEPATH", None)
    done = subprocess.run(
        [sys.executable, "-P", "-c", ADD], cwd=folder, env=env, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_in_a_checkout_the_services_are_not_those_of_the_current_folder_or_the_users_path(
    foreign: Path,
) -> None:
    ours = [str(ROOT / "services" / "__init__.py")] * 2
    assert find_services(foreign, ROOT) == ours
    assert find_services(foreign, foreign, ROOT) == ours


def test_in_the_wheel_the_services_are_not_those_of_the_current_folder_or_the_users_path(
    foreign: Path, tmp_path: Path
) -> None:
    package = tmp_path / "site" / "maumau"
    installed = package / "installed" / "services" / "__init__.py"
    installed.parent.mkdir(parents=True)
    installed.touch()
    for folder in (package, package / "process"):
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").touch()
    shutil.copy(ROOT / "maumau" / "process" / "service_path.py", package / "process")
    assert find_services(foreign, foreign, package.parent) == [str(installed)] * 2
