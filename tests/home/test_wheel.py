"""The wheel with its plain requirements only, in an environment of its own and without a network."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau.build import find_commit

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
    """Yield the files and folders of a distribution at the top of site-packages."""
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
    assert "mirrored sets of pesten" in maumau(
        installed, tmp_path, "duel", "my-bot", "random", "-n", "20", "--rules", "pesten", "--seed", "1"
    )
    assert "[arena]" in maumau(installed, tmp_path, "doctor")
    assert "GNU bash" in maumau(installed, tmp_path, "runtimes")
    for command in ("bots", "submit my-bot", "tournament list", "whoami", "match show a 1.1.1"):
        said = maumau(installed, tmp_path, *command.split(), "--arena", "127.0.0.1", code=1)
        assert "-py3-none-any.whl[arena]'" in said
    assert "-py3-none-any.whl[platform]'" in maumau(installed, tmp_path, "up", code=1)


def maumau(installed: Path, folder: Path, *words: str, code: int = 0) -> str:
    """Return a command's output, if possible from an empty network namespace."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    command = [str(installed / "bin" / "maumau"), *words]
    if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0:
        command = ["unshare", "--net", *command]
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=patient(100), check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.long
def test_the_small_wheel_for_authors_needs_msgspec_alone(
    installed: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It plays what the big one plays, in an environment with nothing else, and all of it can be imported."""
    room = tmp_path_factory.mktemp("small")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(room / "dist")]
    subprocess.run(build, cwd=ROOT / "deploy/maumau-bot", check=True, capture_output=True)
    (wheel,) = (room / "dist").glob("maumau_bot-*.whl")
    assert wheel.stat().st_size < 5_000_000
    with zipfile.ZipFile(wheel) as file:
        assert any(name.endswith("licenses/LICENSE") for name in file.namelist())
    venv.create(room / "venv")
    uv = [ROOT / ".uv/bin/uv", "pip", "install", "--python", room / "venv", "--offline", "--no-deps", wheel]
    subprocess.run(uv, check=True, capture_output=True)
    (site,) = (room / "venv").glob("lib/python*/site-packages")
    for name in top_names(distribution("msgspec")):
        (site / name).symlink_to(Path(str(distribution("msgspec").locate_file(name))))
    listed = "pkgutil.walk_packages(maumau.__path__, 'maumau.')"
    load_all = f"[__import__(one.name) for one in {listed} if not one.name.startswith('maumau.bots.')]"
    subprocess.run(
        [room / "venv/bin/python", "-c", f"import pkgutil, maumau; {load_all}"], cwd=room, env={}, check=True
    )
    words = ["greedy", "random", "--rules", "prsi", "--seed", "7", "-n", "20"]
    small = subprocess.run(
        [room / "venv/bin/maumau-bot", *words], cwd=room, env={}, capture_output=True, text=True, check=True
    )
    big = json.loads(maumau(installed, room, "duel", *words, "--all", "--json").splitlines()[-1])
    assert f"greedy: wins {100 * big['score']:.1f} %" in small.stdout


def test_both_wheels_have_one_version_and_licence() -> None:
    big, small = (
        tomllib.loads((ROOT / path / "pyproject.toml").read_text())["project"]
        for path in ("", "deploy/maumau-bot")
    )
    for key in ("version", "requires-python", "license"):
        assert big[key] == small[key]
    assert set(small["dependencies"]) < set(big["dependencies"])


@pytest.mark.long
def test_no_package_but_maumau_is_installed(installed: Path) -> None:
    (wheel,) = (installed.parent / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        assert file.read("maumau/COMMIT").decode().removesuffix("\n") == find_commit()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"maumau"}
    ours = {str(path.relative_to(ROOT)) for path in (ROOT / "services").rglob("*.py")}
    assert {name.removeprefix("maumau/installed/") for name in names} >= ours
    asked = [installed / "bin" / "python", "-c", "import services"]
    done = subprocess.run(asked, cwd=installed, env={}, capture_output=True, text=True, check=False)
    assert "No module named 'services'" in done.stderr


@pytest.mark.long
def test_an_arena_runs_from_the_wheel_beside_a_folder_called_services(
    installed: Path, tmp_path: Path
) -> None:
    """The packages of the extra `platform` are those of the tests' own environment."""
    (site,) = installed.glob("lib/python*/site-packages")
    (site / "extra.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (tmp_path / "services").mkdir()
    (tmp_path / "services" / "__init__.py").write_text("raise SystemExit('an author's own package')\n")
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    command = [installed / "bin" / "maumau", "up", "--plain", "--workers", "1", "--data", tmp_path / "data"]
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as arena:
        try:
            lines: list[str] = []
            while "Ctrl-C stops everything" not in "".join(lines):
                lines.append(arena.stdout.readline())
                assert lines[-1], "".join(lines)
            card = json.loads((tmp_path / "data" / "arena.json").read_text())
            with urllib.request.urlopen(f"http://{card['web']}/", timeout=patient(20)) as page:
                assert page.status == 200
                assert b"Mau" in page.read()
        finally:
            (site / "extra.pth").unlink()
            arena.send_signal(signal.SIGINT)
            assert arena.wait(patient(30)) in {0, 130}


def test_the_environment_is_plain(installed: Path) -> None:
    env = {**os.environ, "PYTHONPATH": ""}
    for extra in ("grpc", "celery", "sqlmodel"):
        command = [installed / "bin" / "python", "-c", f"import {extra}"]
        assert subprocess.run(command, env=env, capture_output=True, check=False).returncode == 1
