"""The set-up of a checkout, interrupted wherever it may be, in a copy with an empty home and warm caches."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
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

from bench.support.patience import patient
from services.supervisor.environment import hold_environment

ROOT = Path(__file__).parents[1]
PARTS = ("Makefile", "README.md", "LICENSE", "pyproject.toml", "requirements.lock", "requirements-dev.lock")
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
        """Return the command's output; it has to succeed."""
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


class Installed:
    """A checkout's environment with a stamp, and what an installer does there; nothing is fetched."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.installer, self.venv, self.tried = load_installer(), folder / ".venv", []
        self.failure, self.commands = "", []
        (folder / ".uv/bin").mkdir(parents=True)
        (folder / ".uv/bin/uv").touch()
        for name in ("pyproject.toml", "requirements.lock", "requirements-dev.lock"):
            shutil.copy(ROOT / name, folder)
        monkeypatch.setattr(self.installer, "ROOT", folder)
        monkeypatch.setattr(self.installer, "UV", folder / ".uv")
        monkeypatch.setattr(self.installer, "run", self.run)
        venv.create(self.venv, symlinks=True)
        self.stamp()

    def stamp(self, kind: str = "platform", python: str | None = None) -> None:
        python = python or sys.implementation.cache_tag
        found = {"kind": kind, "digest": self.installer.digest(), "python": python}
        (self.venv / ".ready").write_text(json.dumps(found))

    def run(self, words: str, command: list[str], *_: object, **__: object) -> None:
        self.tried.append(words)
        self.commands.append(command)
        if self.failure:
            raise self.installer.StepFailed(self.failure)
        if words == "making the environment":
            venv.create(self.venv.with_name(".venv.new"), symlinks=True)
        if words.startswith("fetching uv"):
            self.installer.UV.with_name(".uv.new").mkdir()

    def make(self, kind: str = "platform") -> None:
        sys.argv = ["install.py", kind, str(self.venv)]
        self.installer.main()


@pytest.fixture
def environment(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", sys.argv)
    return Installed(tmp_path, monkeypatch)


def change_locks(environment: Installed) -> None:
    with (environment.installer.ROOT / "requirements.lock").open("a") as file:
        file.write("# another\n")


def test_another_python_on_the_path_replaces_nothing(environment, monkeypatch) -> None:
    monkeypatch.setattr(sys, "version", "3.14.1 (of somebody else)")
    environment.make()
    assert environment.tried == []


def test_an_environment_whose_python_became_another_is_made_anew(environment) -> None:
    environment.stamp(python="cpython-310")
    environment.make()
    assert "making the environment" in environment.tried
    assert environment.installer.read_stamp(environment.venv)["python"] == sys.implementation.cache_tag


def test_an_environment_that_an_arena_runs_from_stays_until_it_ends(environment, capsys) -> None:
    change_locks(environment)
    stamp = (environment.venv / ".ready").read_text()
    with hold_environment(environment.venv):
        environment.make()
        assert environment.tried == []
        assert "an arena runs from .venv" in capsys.readouterr().out
        with pytest.raises(SystemExit, match=r"error: an arena runs from .venv, .* stop the arena"):
            environment.make("dev")
        assert (environment.venv / ".ready").read_text() == stamp
    environment.make()
    assert (environment.venv / ".ready").read_text() != stamp


def test_an_arena_that_starts_during_the_installation_keeps_its_environment(environment, monkeypatch) -> None:
    change_locks(environment)
    stamp, held = (environment.venv / ".ready").read_text(), []
    fill = environment.installer.fill

    def fill_slowly(*words: object, **options: object) -> None:
        fill(*words, **options)
        held.append(hold_environment(environment.venv))

    monkeypatch.setattr(environment.installer, "fill", fill_slowly)
    environment.make()
    assert "making the environment" in environment.tried
    assert (environment.venv / ".ready").read_text() == stamp
    held[0].close()


def test_without_a_network_an_arena_starts_with_what_is_there(environment, capsys) -> None:
    change_locks(environment)
    environment.failure = "installing the 70 packages of requirements.lock failed (exit code 2)"
    environment.make()
    said = capsys.readouterr().out
    assert f"warning: {environment.failure}" in said
    assert "going on with the packages that are there" in said
    with pytest.raises(SystemExit, match=r"^error: installing .* \(exit code 2\)"):
        environment.make("dev")
    shutil.rmtree(environment.venv)
    with pytest.raises(SystemExit, match=r"^error: installing"):
        environment.make()


UV_SAID = "error: Failed to fetch\n  Caused by: invalid peer certificate: UnknownIssuer\n"
PIP_SAID = "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"


def test_a_proxy_that_opens_tls_is_named_with_what_to_type(environment) -> None:
    explain = environment.installer.explain_failure
    assert "`UV_SYSTEM_CERTS=1 make run`" in explain(UV_SAID)
    assert re.search(r"`UV_SYSTEM_CERTS=1 PIP_CERT=\S+ make run`", explain(PIP_SAID))
    assert explain("error: Failed to fetch: connection refused") == ""


@pytest.mark.parametrize(
    "said",
    [
        "error: Failed to fetch\n  cause: dns error\n",
        "error: Failed to fetch\n  cause: tcp connect error\n",
        "Failed to establish a new connection: [Errno -3] Temporary failure in name resolution",
        "ERROR: Could not find a version that satisfies the requirement uv==0.13.9 (from versions: none)",
    ],
)
def test_a_first_start_without_a_network_says_that_it_needs_one(environment, said) -> None:
    words = environment.installer.explain_failure(said)
    assert words == " because no package index can be reached; this step needs a network"


def test_a_failed_installation_of_the_command_says_what_helps_behind_a_proxy() -> None:
    make = ["make", "--dry-run", "install"]
    done = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "`UV_SYSTEM_CERTS=1 make install`" in done.stdout


@pytest.fixture
def bare(environment, monkeypatch, tmp_path):
    """Return a Python without pip and ensurepip, as the interpreter; the only folder on the path."""
    shutil.rmtree(environment.installer.UV)
    shutil.rmtree(environment.venv)
    program = tmp_path / "tools/bare-python"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(environment.installer.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(program.parent))
    return program


def test_where_python_cannot_install_the_uv_on_the_path_does(environment, bare) -> None:
    uv = bare.with_name("uv")
    uv.symlink_to(bare)
    environment.make("uv")
    (command,) = environment.commands
    assert command[:5] == [str(uv), "pip", "install", "--python", str(bare)]
    assert command[-1] == f"uv=={environment.installer.UV_VERSION}"
    assert environment.installer.UV.exists()


def test_where_nothing_can_install_it_says_what_to_get(environment, bare) -> None:
    with pytest.raises(SystemExit, match=r"python3-venv .*uv: curl -LsSf"):
        environment.make()


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
def test_the_command_is_installed_for_one_user_and_plays_at_once(checkout):
    assert "Installed 1 executable: maumau" in checkout.make("install")
    checkout.make("install")  # once more, after an update say
    env = {"PATH": f"{checkout.home}/.local/bin:/usr/bin:/bin", "HOME": str(checkout.home)}
    for line in ("maumau new my-bot", "maumau play my-bot greedy --rules prsi --seed 42"):
        done = subprocess.run(
            line.split(), cwd=checkout.home, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert "seed 42, deal 0" in done.stdout


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_at_once_install_once(checkout):
    first, second = checkout.start("platform"), checkout.start("platform")
    said = [one.communicate(timeout=patient(300))[0] for one in (first, second)]
    assert first.returncode == second.returncode == 0, said
    assert sum(one.count("this once") for one in said) == 1
