"""The set-up of a checkout, interrupted wherever it may be, in a copy with an empty home and warm caches."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import venv
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

from bench.patience import patient

ROOT = Path(__file__).parents[1]
PARTS = ("Makefile", "README.md", "pyproject.toml", "requirements.lock", "requirements-dev.lock")
FOLDERS = ("deploy", "maumau", "services")
KILLS = 16
PYTHON = os.path.realpath(sys.executable)  # the one that the environment of the tests was made with
LEFT = (".uv.new", ".venv.new", ".venv.old")


class Checkout:
    """A copy of what `make` needs of this one; each `make` in a process group of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder / "Mau Mäu", folder / "home"
        self.home.mkdir()
        self.folder.mkdir()
        for name in PARTS:
            shutil.copy(ROOT / name, self.folder)
        for name in FOLDERS:
            ignored = shutil.ignore_patterns("__pycache__", "*.so")
            shutil.copytree(ROOT / name, self.folder / name, ignore=ignored)

    def start(self, *words: str) -> subprocess.Popen[str]:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        caches = {"UV_CACHE_DIR": str(cache / "uv"), "PIP_CACHE_DIR": str(cache / "pip")}
        env = {**caches, **os.environ, "HOME": str(self.home), "PYTHONUNBUFFERED": "1", "LC_ALL": "C"}
        command = ["make", "--no-print-directory", f"PYTHON={PYTHON}", "VENV=.venv", *words]
        return subprocess.Popen(
            command, cwd=self.folder, env=env, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def make(self, *words: str) -> str:
        """What it says; it has to end well."""
        process = self.start(*words)
        said = process.communicate(timeout=patient(300))[0]
        assert process.returncode == 0, said
        return said

    def left(self) -> list[str]:
        return [name for name in LEFT if (self.folder / name).exists()]


@pytest.fixture
def checkout(tmp_path, not_tested):
    """Skips where no package can be had."""
    found = subprocess.run(
        [PYTHON, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", tmp_path / "reached",
         "editables"], capture_output=True, text=True, check=False
    )  # fmt: skip
    if found.returncode:
        not_tested("set-up", (found.stderr.strip().splitlines() or ["no package index"])[-1])
    return Checkout(tmp_path)


def load_installer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("install", ROOT / "deploy/install.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def end(process: subprocess.Popen[str], number: int) -> None:
    """Sends the signal to all of them, as a terminal does, and waits for the first."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
    process.communicate(timeout=patient(60))


def test_a_path_with_umlauts_is_found_in_a_locale_without_them(tmp_path, monkeypatch):
    checkout = tmp_path / "Mau Mäu"
    (checkout / "maumau").mkdir(parents=True)
    (checkout / "maumau/__init__.py").write_text("")
    environment = checkout / ".venv.new"
    venv.create(environment, symlinks=True)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "_editable_impl_maumau_arena.pth").write_text(f"{checkout}\n", encoding="utf-8")
    installer = load_installer()
    monkeypatch.setattr(installer, "ROOT", checkout)
    installer.point_at_checkout(environment)
    there = environment.rename(checkout / ".venv")
    command = [there / "bin/python", "-c", "import maumau; print(ascii(maumau.__file__))"]
    said = subprocess.run(command, cwd="/", env={"LC_ALL": "C"}, text=True, capture_output=True, check=True)
    assert said.stdout.strip() == ascii(str(checkout / "maumau/__init__.py"))


@pytest.mark.long
def test_ctrl_c_while_uv_is_fetched_is_made_good_by_the_next_make(checkout):
    process = checkout.start("run")
    assert "fetching uv" in process.stdout.readline()
    end(process, signal.SIGINT)
    assert process.returncode
    checkout.make(".uv/bin/uv")
    said = subprocess.run([checkout.folder / ".uv/bin/uv", "--version"], capture_output=True, check=True)
    assert said.stdout.startswith(b"uv ")
    assert not checkout.left()


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_set_up_killed_at_any_moment_is_made_good_by_the_next_make(checkout):
    whole, chance = checkout.make("platform"), random.Random(8)
    assert "fetching uv" in whole
    began = time.monotonic()
    shutil.rmtree(checkout.folder / ".uv")
    shutil.rmtree(checkout.folder / ".venv")
    checkout.make("platform")
    takes = time.monotonic() - began
    for number in range(KILLS):
        if number % 4 == 0:  # else it begins where the one before was killed
            shutil.rmtree(checkout.folder / ".uv", ignore_errors=True)
        shutil.rmtree(checkout.folder / ".venv", ignore_errors=True)
        process = checkout.start("platform")
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, takes))
        end(process, chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGKILL)))
    checkout.make("platform")
    assert not checkout.left()
    maumau = checkout.folder / ".venv/bin/maumau"
    told = subprocess.run([maumau, "rules", "list"], capture_output=True, text=True, check=True)
    assert "mau_mau" in told.stdout
    assert checkout.make("platform") == ""


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_at_once_install_once(checkout):
    first, second = checkout.start("platform"), checkout.start("platform")
    said = [one.communicate(timeout=patient(300))[0] for one in (first, second)]
    assert first.returncode == second.returncode == 0, said
    assert sum(one.count("this once") for one in said) == 1
