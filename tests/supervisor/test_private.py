"""The data folder is for its owner alone, as another user of the machine finds it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.support.patience import patient
from maumau.errors import BadDataFolder
from maumau.home import doctor
from maumau.sandbox.files import artifact_cache
from services.supervisor.folder import Folder, close_to_others
from tests.support.arenas.embedded import Running

pytestmark = pytest.mark.long

STRANGER = 31337
LOOK = """
import json, os, sys
os.setgroups([]); os.setresgid(UID, UID, UID); os.setresuid(UID, UID, UID)
held = os.open(sys.argv[1], os.O_RDONLY) if len(sys.argv) > 1 else None
print("ready", flush=True)
found = []
for path in json.loads(sys.stdin.readline()):
    try:
        os.close(os.open(path, os.O_RDONLY, dir_fd=held))
        found.append(path)
    except OSError:
        pass
print(json.dumps(found))
"""


@pytest.fixture
def room(not_tested: Any) -> Iterator[Path]:
    """Yield a folder that every user may enter, which those of pytest are not."""
    if os.geteuid():
        not_tested("another user", "only root becomes somebody else")
    place = Path(tempfile.mkdtemp(prefix="maumau-private-"))
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


class Stranger:
    """A process of another user; `held`: a folder that it opens before anything else."""

    def __init__(self, held: Path | None = None) -> None:
        code = LOOK.replace("UID", str(STRANGER))
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", code, *([str(held)] if held else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout
        assert self._process.stdout.readline() == "ready\n"

    def opens(self, *paths: str) -> list[str]:
        """Return the paths that it can open."""
        said, _ = self._process.communicate(json.dumps(paths) + "\n", timeout=patient(30))
        return list(json.loads(said))


def test_nothing_of_a_running_arena_can_be_opened_by_another_user(house_data: Path, room: Path) -> None:
    data = room / "data"
    old_umask = os.umask(0o022)  # as the data folder of an earlier release was made
    try:
        shutil.copytree(house_data, data)
        for path in (data, *data.iterdir()):
            path.chmod(path.stat().st_mode | 0o055)
        before = Stranger(data)
        assert Stranger().opens(str(data / "registry.db"))
        with Running(data) as arena:
            arena.wait_for("Ctrl-C stops everything")
            arena.wait_for_bots("greedy")
            assert arena.says("other users of this machine could read the data folder")
            inside = [str(path) for path in data.rglob("*")]
            assert {"registry.db", "tournament.db", "appendonlydir"} <= {Path(path).name for path in inside}
            assert Stranger().opens(*inside) == []
            assert before.opens(*(str(path.relative_to(data)) for path in data.rglob("*"))) == []
            open_files = [path for path in data.rglob("*.db*") if path.stat().st_mode & 0o077]
            assert open_files == []
    finally:
        os.umask(old_umask)


def test_a_new_folder_is_closed_from_the_start_and_nothing_is_said(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "data")
    assert not folder.was_open
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_what_lies_in_an_open_folder_is_closed_with_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    (data / "registry.db").write_text("")
    (data / "registry.db").chmod(0o644)
    (data / "logs").mkdir(mode=0o755)
    (data / "elsewhere").symlink_to("/etc/passwd")
    shown = Path("/etc/passwd").stat().st_mode
    data.chmod(0o755)
    finding = next(one for one in doctor.examine_machine([data]) if one.what == "data folder")
    assert not finding.ok
    assert f"chmod 700 {data.resolve()}" in finding.advice
    assert close_to_others(data)
    assert [(data / name).stat().st_mode & 0o777 for name in ("", "registry.db", "logs")] == [
        0o700, 0o600, 0o700,
    ]  # fmt: skip
    assert Path("/etc/passwd").stat().st_mode == shown
    assert next(one for one in doctor.examine_machine([data]) if one.what == "data folder").ok
    assert not close_to_others(data)


def test_a_folder_that_cannot_be_closed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: Path, _mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    monkeypatch.setattr(Path, "chmod", refuse)
    with pytest.raises(BadDataFolder, match="cannot be used: Operation not permitted"):
        Folder(tmp_path / "data")


def test_programs_users_may_enter_a_cache_that_an_arena_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, not_tested: Any
) -> None:
    if not artifact_cache.own_users():
        not_tested("users of seats", "only root gives each seat one of its own")
    monkeypatch.setattr(artifact_cache, "_get_cache_path", lambda *, memory: tmp_path / "cache")
    old_umask = os.umask(0o077)
    try:
        found = artifact_cache.find_cache_folder().stat()
    finally:
        os.umask(old_umask)
    assert (found.st_mode & 0o777, found.st_gid) == (0o750, artifact_cache.SEATS)
