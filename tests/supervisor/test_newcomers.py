"""Commands for newcomers on the pages of a running arena, typed word for word."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from html import unescape
from pathlib import Path

import pytest

from bench.support.patience import patient
from tests.support.arenas.embedded import Running
from tests.support.polling import until
from tests.support.variables import without_settings

ROOT = Path(__file__).parents[2]
PYTHON = Path(os.path.realpath(sys.executable))


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    with Running(tmp_path_factory.mktemp("newcomers") / "data") as running:
        running.wait_for("Ctrl-C stops everything")
        yield running


@pytest.fixture
def stranger(tmp_path, not_tested):
    """Somebody with a home of his own, Python and uv; skips where no package can be had."""
    command = [PYTHON, "-m", "pip", "download", "-q", "--no-deps", "-d", tmp_path / "reached", "editables"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        not_tested("installing from the page", "no package index")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "python3").symlink_to(PYTHON)
    shutil.copy(ROOT / ".uv/bin/uv", tools)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = tmp_path / "home"
    home.mkdir()
    kept = without_settings("VIRTUAL_ENV")
    env = {
        **kept, "HOME": str(home), "PATH": f"{home}/.local/bin:{tools}:/usr/bin:/bin", "COLUMNS": "200",
        "UV_CACHE_DIR": str(cache / "uv"), "PIP_CACHE_DIR": str(cache / "pip"),
    }  # fmt: skip

    def type_lines(text: str) -> str:
        done = subprocess.run(
            ["bash", "-e", "-c", text], cwd=home, env=env, text=True, timeout=patient(200), check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout

    return type_lines


def read_commands(arena: Running, path: str, name: str = "") -> str:
    """Return the commands with this id on a page of the arena, or the only ones."""
    with urllib.request.urlopen(f"http://{arena.card()['web']}{path}", timeout=patient(20)) as page:
        text = page.read().decode()
    mark = f' id="{name}"' if name else ""
    (found,) = re.findall(rf'<pre class="command"{mark}>(.*?)</pre>', text, re.DOTALL)
    return unescape(found)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("way", ["uv", "venv"])
def test_a_stranger_installs_from_the_page_and_plays(arena, stranger, way) -> None:
    install = read_commands(arena, "/install", f"install-{way}")
    play = "maumau new other\nmaumau play other greedy --rules prsi --seed 42\nmaumau doctor || true"
    said = stranger(f"{install}\n{play}")
    assert "seed 42, deal 0" in said
    assert re.search(r"ok +\[arena\]", said)
    then = read_commands(arena, "/install", "install-then").replace("NAME", f"ada-{way}")
    activate = ". ~/maumau/bin/activate\n" if way == "venv" else ""
    said = stranger(f"{activate}{then}\nmaumau whoami\nmaumau bots")
    assert f"ada-{way}" in said
    assert re.search(rf"ada-{way}-bot .*\bactive\b", said)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_commands_of_an_empty_arena_play_a_contest(arena) -> None:
    arena.wait_for_bots("greedy", "counter", "first")
    env = {
        **without_settings(),
        "MAUMAU_DATA": str(arena.data), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }  # fmt: skip
    for path in ("/contests", "/"):
        commands = read_commands(arena, path)
        assert commands.splitlines()[-1] == "maumau tournament start cup"
    done = subprocess.run(
        ["bash", "-e", "-c", commands], env=env, text=True, timeout=patient(100), check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    with arena.client() as client:
        until("the contest is over", lambda: client.tournament("cup").state == "finished", 300)
        assert {line.bot_name for line in client.standings("cup").standings} == {"greedy", "counter", "first"}
