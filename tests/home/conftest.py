"""A user's terminal at home: an own folder, no arena, the commands as they are typed."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal


@contextmanager
def at_work(words: list[str], **how) -> Iterator[subprocess.Popen[bytes]]:
    """A command that Ctrl-C reaches, also where the tests themselves run in the background; ended at last."""
    heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731  # Popen calls it with nothing
    running = subprocess.Popen(words, preexec_fn=heard, **how)  # noqa: PLW1509  # no threads here
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
