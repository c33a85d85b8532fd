"""The disk of the backups is full: it is said, the last backup stays whole, and the next one is made."""

import os

import pytest

from maumau.errors import DiskFull
from tests.backup.conftest import admin
from tests.support.host.disk import fill_disk

pytestmark = pytest.mark.long

ROOM = 16 << 10  # bytes that are left for a backup that needs more


def test_a_backup_that_finds_no_room_is_refused_and_spoils_no_other(new_arena, small_disk, tmp_path):
    disk = small_disk("4m")
    arena = new_arena("sqlite")
    first = admin(arena, "backup", disk)["backup"]
    arena.finish(arena.begin("first", "random", block=5, cap=10))

    fill_disk(disk / "filler")
    assert f"{str(disk)!r} cannot be used: {DiskFull.__doc__}" in admin(arena, "backup", disk, refused=True)
    os.truncate(disk / "filler", (disk / "filler").stat().st_size - ROOM)
    in_the_middle = admin(arena, "backup", disk, refused=True)
    assert f"The disk of {disk} is full, and this backup is not whole" in in_the_middle
    found = admin(arena, "backups", disk, "--check")["backups"]
    assert [one["whole"] for one in found] == [True, False]
    assert found[0]["name"] == first["name"]

    (disk / "filler").unlink()
    last = admin(arena, "backup", disk)["backup"]
    assert last["rows"] > first["rows"]
    assert [one["whole"] for one in admin(arena, "backups", disk, "--check")["backups"]] == [
        True,
        False,
        True,
    ]
    restored = new_arena("sqlite", run=False)
    assert admin(restored, "restore", disk)["restored"]["rows"] == last["rows"]
