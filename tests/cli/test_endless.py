"""Files without an end, such as devices and pipes, are read up to a bound and refused in words."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from maumau.cli.shared import bounded
from tests.cli.test_review import lost
from tests.support.terminal import Terminal


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    (tmp_path / "endless").symlink_to("/dev/zero")
    return tmp_path / "endless"


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/zero is of Unix")
@pytest.mark.parametrize("words", [("review",), ("replay",), ("verify",)])
def test_a_device_without_an_end_is_refused(endless: Path, words: tuple[str, ...]) -> None:
    terminal = Terminal(endless.parent)
    said = terminal.run(*words, "endless", code=1).err
    assert "endless" in said
    assert "not a plain file" in said
    assert "Traceback" not in said


def test_what_does_not_end_is_read_up_to_the_bound(monkeypatch, endless: Path) -> None:
    monkeypatch.setattr(bounded, "MOST", 3 << 20)
    with pytest.raises(OSError, match="does not end within 3 MiB"):
        bounded.read_bounded(endless)


def test_plain_files_and_pipes_that_end_are_read_whole(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bounded, "MOST", 1 << 10)
    (tmp_path / "plain").write_bytes(b"x" * 5000)  # of any size
    assert bounded.read_bounded(tmp_path / "plain") == b"x" * 5000
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"y" * (1 << 10),))
    writer.start()
    assert bounded.read_bounded(tmp_path / "pipe") == b"y" * (1 << 10)
    writer.join()


def test_text_is_read_as_before(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("a\r\nb\rc\nß".encode())
    assert bounded.read_text(tmp_path / "text") == (tmp_path / "text").read_text(encoding="utf-8")
    (tmp_path / "text").write_bytes(b"\xff")
    with pytest.raises(UnicodeDecodeError):
        bounded.read_text(tmp_path / "text")


def test_a_record_from_a_pipe_is_reviewed(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(lost(),))
    writer.start()
    assert "seat A came 2nd of 2" in terminal.run("review", "pipe", "--seconds", "0.1").out
    writer.join()
