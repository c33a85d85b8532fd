"""A user's terminal at home: an own folder, no arena, the commands as they are typed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.terminal import Terminal


@contextmanager
def at_work(words: list[str], **how) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a command that Ctrl-C reaches, since tests/conftest.py enables it; end it afterwards."""
    running = subprocess.Popen(words, **how)
    try:
        yield running
    finally:
        running.kill()
        running.wait()


@pytest.fixture
def home(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


BOT = """from maumau.bot import Bot, run
class Mine(Bot):
    def act(self, view):
        {body}
run(Mine)
"""


@pytest.fixture
def write(tmp_path: Path):
    """Write a bot of one line: `write(name, body)`."""

    def written(name: str, body: str, toml: str = "") -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.py").write_text(BOT.format(body=body))
        (folder / "bot.toml").write_text(f'name = "{name}"\nrun = ["python3", "bot.py"]\n{toml}')
        return folder

    return written
