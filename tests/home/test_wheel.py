"""The wheel with its plain requirements only, in an environment of its own and without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import tomllib
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest

from bench.patience import patient

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel and its requirements, as an installer would put them there."""
    room = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(room / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    venv.create(room / "venv")
    (wheel,) = (room / "dist").glob("*.whl")
    uv = [ROOT / ".uv/bin/uv", "pip", "install", "--python", room / "venv", "--offline", "--no-deps", wheel]
    subprocess.run(uv, check=True, capture_output=True)
    (site,) = (room / "venv").glob("lib/python*/site-packages")
    for found in closure(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]):
        for name in top_names(found):
            target = site / name
            if not target.exists():
                target.symlink_to(Path(str(found.locate_file(name))))
    return room / "venv"


def closure(requirements: list[str]) -> list[Distribution]:
    """Everything that these requirements bring along, without extras."""
    found: dict[str, Distribution] = {}
    names = [re.match(r"[\w.-]+", one).group() for one in requirements if "extra ==" not in one]
    while names:
        name = names.pop()
        if name not in found:
            try:
                found[name] = distribution(name)
            except PackageNotFoundError:  # for another system or Python
                continue
            needs = [one for one in found[name].requires or [] if "extra ==" not in one]
            names += [re.match(r"[\w.-]+", one).group() for one in needs]
    return list(found.values())


def top_names(found: Distribution) -> Iterator[str]:
    """The files and folders of a distribution at the top of site-packages."""
    yield from {str(file).split("/")[0] for file in found.files or [] if not str(file).startswith("..")}


@pytest.mark.long
def test_from_the_installed_command_to_the_first_finished_deal(installed: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    assert "my-bot: bot.py, bot.toml" in maumau(installed, tmp_path, "new", "my-bot")
    said = maumau(installed, tmp_path, "play", "my-bot", "greedy", "--rules", "prsi", "--seed", "42")
    assert "seed 42, deal 0" in said
    assert time.monotonic() - began < patient(30)


@pytest.mark.long
def test_everything_at_home_works_without_the_extras(installed: Path, tmp_path: Path) -> None:
    maumau(installed, tmp_path, "new", "my-bot")
    assert "my-bot is valid" in maumau(installed, tmp_path, "validate", "my-bot")
    assert "deals of pesten" in maumau(
        installed, tmp_path, "duel", "my-bot", "random", "-n", "20", "--rules", "pesten", "--seed", "1"
    )
    assert "[arena]" in maumau(installed, tmp_path, "doctor")
    assert "GNU bash" in maumau(installed, tmp_path, "runtimes")
    for command in ("bots", "submit my-bot", "tournament list", "whoami", "match show a 1.1.1"):
        said = maumau(installed, tmp_path, *command.split(), "--arena", "127.0.0.1", code=1)
        assert "pip install 'maumau-arena[arena]'" in said
    assert "pip install 'maumau-arena[platform]'" in maumau(installed, tmp_path, "up", code=1)


def maumau(installed: Path, folder: Path, *words: str, code: int = 0) -> str:
    """What the command says; where that is possible in a network namespace that is empty."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    command = [str(installed / "bin" / "maumau"), *words]
    if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0:
        command = ["unshare", "--net", *command]
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=patient(100), check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_environment_is_plain(installed: Path) -> None:
    env = {**os.environ, "PYTHONPATH": ""}
    for extra in ("grpc", "celery", "sqlmodel"):
        command = [installed / "bin" / "python", "-c", f"import {extra}"]
        assert subprocess.run(command, env=env, capture_output=True, check=False).returncode == 1
