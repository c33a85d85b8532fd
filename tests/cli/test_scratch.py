"""Temporary folders: gone with their process, or removed by the next one; a live one's never."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau.process import scratch as module
from maumau.process.scratch import remove_dead, scratch

HOLDS = (
    "import time; from maumau.process.scratch import scratch\n"
    "with scratch('demo') as folder:\n"
    "    (folder / 'data').mkdir(); (folder / 'exports').mkdir()\n"
    "    (folder / 'data/big').write_text('x'); print(folder, flush=True); time.sleep(600)"
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def holder() -> tuple[subprocess.Popen[str], Path]:
    """Another process that has a folder."""
    process = subprocess.Popen([sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, text=True)
    return process, Path(process.stdout.readline().strip())


def test_a_folder_ends_with_its_block(place: Path) -> None:
    with scratch("run") as folder:
        (folder / "file").write_text("x")
        assert folder.parent == place
        assert folder.stat().st_mode & 0o777 == 0o700
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next_one(place: Path) -> None:
    process, folder = holder()
    process.send_signal(signal.SIGKILL)
    process.wait(patient(10))
    assert folder.exists()
    with scratch("run") as own:
        assert list(place.iterdir()) == [own]


def test_a_live_process_keeps_its_folder(place: Path) -> None:
    process, folder = holder()
    try:
        remove_dead()
        assert (folder / "data/big").read_text() == "x"
    finally:
        process.kill()
        process.wait(patient(10))


def test_exports_of_a_dead_process_stay(place: Path) -> None:
    process, folder = holder()
    (folder / "exports/cup.export.jsonl").write_text("{}")
    process.kill()
    process.wait(patient(10))
    remove_dead()
    assert [path.name for path in folder.iterdir()] == ["exports"]


def test_a_link_is_not_followed(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    kept = tmp_path_factory.mktemp("kept")
    (kept / module.LOCK).touch()
    (place / "maumau-run-link").symlink_to(kept)
    remove_dead()
    assert (kept / module.LOCK).exists()


def test_a_folder_that_died_before_it_had_its_name_is_removed_in_time(place: Path) -> None:
    young, old = (place / f"{module.DRAFT}{name}" for name in ("young", "old"))
    young.mkdir()
    old.mkdir()
    os.utime(old, (0, 0))
    remove_dead()
    assert list(place.iterdir()) == [young]


def test_who_is_asked_to_end_while_a_folder_is_made_leaves_none(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = module._make

    def interrupted(*given: object) -> None:
        make(*given)
        raise KeyboardInterrupt  # the last moment before anybody has it

    monkeypatch.setattr(module, "_make", interrupted)
    with pytest.raises(KeyboardInterrupt), scratch("run"):
        raise AssertionError("it goes on")
    assert list(place.iterdir()) == []
