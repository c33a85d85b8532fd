"""An arena that accepts a connection and never answers: whoever waits hears of it at once."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from bench.support.patience import patient
from maumau.cli.shared import told_address
from maumau.client.arena import Arena
from maumau.errors import MaumauError
from maumau.process import silence
from tests.support.terminal import Terminal
from tests.support.variables import without_settings


@pytest.fixture
def hung() -> Iterator[str]:
    """Yield host:port of a listener that takes connections into its queue and does nothing with them."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silence, "QUIET_SECONDS", 0.1)
    monkeypatch.setattr(told_address, "PATIENCE", 0.4)


def ask(address: str) -> None:
    with Arena(address, address, patience=0) as arena, pytest.raises(MaumauError):
        arena.info(0.4)


@pytest.mark.usefixtures("quick")
def test_a_silence_is_told_once_with_the_first_address(hung: str) -> None:
    told: list[str] = []
    with silence.listen_for_silence(told.append):
        told_address.ask_page(f"http://{hung}")
        ask(hung)
        ask(hung)
    assert told == [f"http://{hung}"]


@pytest.mark.usefixtures("quick")
def test_nobody_is_told_where_nobody_listens_or_the_refusal_comes_at_once(hung: str) -> None:
    told: list[str] = []
    with silence.listen_for_silence(told.append):
        ask("127.0.0.1:1")
    ask(hung)
    assert told == []


@pytest.mark.long
def test_a_program_is_not_told(hung: str, tmp_path) -> None:
    terminal = Terminal(tmp_path)
    found = terminal.run("info", "--arena", f"http://{hung}", "--json", code=3).error()
    assert found["reason"] == "ARENA_UNREACHABLE"


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "ports"), [("seat prsi --house", 1), ("seat --table mm_1", 4), ("watch table_1", 4)]
)
def test_a_hung_arena_is_told_within_two_seconds(hung: str, tmp_path, words: str, ports: int) -> None:
    """ports: as many as the address names."""
    address = f"http://{hung}" + f",{hung.rpartition(':')[2]}" * (ports - 1)
    command = [sys.executable, "-m", "maumau.cli", *words.split(), "--arena", address]
    variables = {**without_settings("XDG_"), "HOME": str(tmp_path)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=variables)
    try:
        began = time.monotonic()
        line = process.stderr.readline()
        named = f"http://{hung}" if ports == 1 else hung
        assert line == f"the arena at {named} does not answer yet; Ctrl-C ends the wait for it\n"
        assert time.monotonic() - began < patient(3.5)  # the start of Python is in it
    finally:
        process.kill()
        process.communicate()
