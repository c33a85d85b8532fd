"""A worker's disk is full: another worker plays, or this one does without the disk; no result differs."""

from pathlib import Path

import pytest

from bench.support.lab import Lab
from tests.support.arenas.cup import OURS, QUICK
from tests.support.arenas.embedded import own_mounts
from tests.support.arenas.tournament import Arena
from tests.support.host.disk import fill_disk
from tests.support.waiting import until
from tests.worker.house_cup import begin, enter_house_bots, finish, working

pytestmark = pytest.mark.long

OWN_MEMORY = 'mount -t tmpfs -o size="$0" tmpfs /dev/shm && exec "$@"'
FROM_DISK = "is read from the disk"


def wait_until_a_worker_works(lab):
    """Wait until the worker has validated a program."""
    trial = lab.admin.submit("trial", Arena.program("trial")).version
    until(lambda: lab.admin.version(trial.id).settled, 60)


def find_suspension_reason(lab, process):
    """Return the reason of this worker's suspension, or an empty string."""
    mine = [one for one in lab.admin.workers() if one.name.endswith(f"-{process.pid}")]
    return next((one.words for one in mine if one.state == "suspended"), "")


def test_a_worker_whose_folders_are_full_is_suspended_and_plays_on_when_there_is_room(small_disk, tmp_path):
    """The worker's programs, log and temporary files are on one disk."""
    disk = small_disk("16m")
    with Lab("sqlite", tmp_path / "lab", AUDIT="0", **OURS, **QUICK) as lab:
        enter_house_bots(lab)
        with working(lab, disk / "worker", ["env", f"TMPDIR={disk}"]) as full:
            wait_until_a_worker_works(lab)
            fill_disk(disk / "filler")
            disturbed = begin(lab, "disturbed")
            assert "No space left on device" in until(lambda: find_suspension_reason(lab, full), 60)
            with working(lab, tmp_path / "other"):
                until(lambda: lab.admin.tournament(disturbed).over, 60)
            assert find_suspension_reason(lab, full)
            (disk / "filler").unlink()
            alone = begin(lab, "alone")
            ended = [finish(lab, one) for one in (disturbed, alone)]
            assert not find_suspension_reason(lab, full)
        assert ended[0][1:] == ended[1][1:]  # all but the spec, which has the name


def test_a_worker_whose_file_system_in_memory_is_full_plays_on_as_before(tmp_path, not_tested):
    """It has its own /dev/shm, which holds the images; programs have copies inside their sandboxes."""
    try:
        around = [*own_mounts(), "sh", "-c", OWN_MEMORY, "512m"]
    except OSError as error:
        not_tested("a full /dev/shm", f"no small disk can be mounted ({error})")
    with Lab("sqlite", tmp_path / "lab", AUDIT="0", **OURS, **QUICK) as lab:
        enter_house_bots(lab)
        with working(lab, tmp_path / "full", around, sandbox="bwrap") as full:
            wait_until_a_worker_works(lab)
            assert FROM_DISK not in full.log.read_text()
            fill_disk(Path(f"/proc/{full.pid}/root/dev/shm/filler"))
            ended = [finish(lab, begin(lab, "disturbed"))]
            assert not find_suspension_reason(lab, full)
        assert FROM_DISK not in full.log.read_text()
        with working(lab, tmp_path / "roomy"):
            ended.append(finish(lab, begin(lab, "undisturbed")))
        assert ended[0][1:] == ended[1][1:]
