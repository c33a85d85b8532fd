"""The database is lost in the middle of a tournament, which goes on elsewhere as if nothing had happened."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from maumau.contest.export.verify import verify
from maumau.errors import StaleFence
from tests.backup.conftest import KINDS, admin
from tests.support.arenas.tournament import SECRET

CUP = {"format": "round_robin", "block": 5, "cap": 20, "top": SECRET, "name": "cup"}
BOTS = ("random", "first", "random")


def compared(export: bytes) -> list[bytes]:
    """Return the lines that do not depend on when and where it was played."""
    measured = b'{"kind":"measured"', b'{"kind":"end"', b'{"kind":"booking"'
    return [line for line in export.splitlines() if not line.startswith(measured)]


@pytest.fixture(params=["folder", "bucket"])
def place(request, tmp_path):
    """Return the place of the backups; the bucket is on a server that speaks S3."""
    if request.param == "folder":
        return str(tmp_path / "backups")
    request.getfixturevalue("s3")
    return f"s3://arena/{tmp_path.name}/backups"


@pytest.mark.long
def test_a_tournament_goes_on_after_a_restore_into_the_other_kind_of_database(
    new_arena, source_kind, place, tmp_path
):
    undisturbed = new_arena(source_kind)
    whole = undisturbed.begin(*BOTS, **CUP)
    arena = new_arena(source_kind)
    cup = arena.begin(*BOTS, **CUP)
    done = arena.play_some(cup, 3)
    held = arena.worker.claim()
    with ThreadPoolExecutor(1) as pool:  # the arena plays on while it is backed up
        saving = pool.submit(admin, arena, "backup", place)
        while not saving.done():
            arena.play_some(cup, 1)
        saved = saving.result()["backup"]
    assert saved["whole"]
    assert saved["files"] == 2  # programs of the three bots
    arena.stop()
    del arena.server

    restored = new_arena(KINDS[source_kind], run=False)
    found = admin(restored, "restore", place)["restored"]
    assert (found["name"], found["rows"]) == (saved["name"], saved["rows"])
    restored.run()
    assert len(restored.blocks(cup, "done")) >= done
    with pytest.raises(StaleFence):  # a worker that has heard of nothing
        restored.worker.RenewLease(block_id=held.block_id, fence=held.fence, deals_done=1)
    restored.finish(cup)
    undisturbed.finish(whole)

    assert restored.admin.tournament(cup).compared == undisturbed.admin.tournament(whole).compared
    assert compared(restored.export(cup)) == compared(undisturbed.export(whole))
    (tmp_path / "cup.jsonl").write_bytes(restored.export(cup))
    assert verify(tmp_path / "cup.jsonl").differing == 0
