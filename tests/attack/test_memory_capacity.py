"""The number of bits that pages and inodes of files carry from a program to its next life or a neighbour.

Each cure is measured alone, too: fresh copies and settled images with /proc open, as where a way to read it
was found. The measurement finds each store where the cures are off.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau.errors import SandboxUnavailable
from maumau.sandbox.files.program_file import PLACE, ProgramFiles
from maumau.sandbox.launch import choose_sandbox
from tests.attack.capacity import BITS, FEW, ROOT, SHARED, STORES, count_bits, find_shared, measure
from tests.support.host.nobody import CANNOT

NOTHING = dict.fromkeys(STORES, 0.0)


@pytest.fixture
def bwrap(not_tested):
    try:
        return choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        not_tested("what memory carries from program to program", str(reason))


@pytest.fixture
def open_proc(bwrap, monkeypatch, not_tested):
    """Turn off the protection against reading."""
    if not bwrap.own_proc:
        not_tested("what an open /proc tells", "this machine forbids one")
    monkeypatch.setattr(bwrap, "_readable", [])


@pytest.fixture
def copies(bwrap, monkeypatch):
    """Turn off fresh copies: a program's starts share one folder in memory, or have one each."""
    with tempfile.TemporaryDirectory(prefix="maumau-", dir="/dev/shm") as room:
        Path(room).chmod(0o755)
        numbers = itertools.count()

        def show_copies(*, shared):
            @contextmanager
            def show(launch):
                copy = Path(room, launch.folder.name if shared else str(next(numbers)))
                if not copy.exists():
                    shutil.copytree(launch.folder, copy)
                yield ProgramFiles(["--ro-bind", str(copy), PLACE], [])

            monkeypatch.setattr(bwrap, "_open_folder", show)

        yield show_copies


@pytest.mark.parametrize(("right", "least", "most"), [(1.0, 15, 16), (0.9, 5, 11), (0.5, 0, 0)])
def test_a_measurement_tells_what_is_carried_from_chance(right, least, most):
    """Of 16 bits somebody who is always right learns all, nine times of ten half, every other time none."""
    random.seed(1)

    def read(word):
        return "".join(bit if random.random() < right else str(1 - int(bit)) for bit in word)

    assert least <= count_bits(read, 16) <= most


@pytest.mark.long
@pytest.mark.parametrize("warm", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_programs_own_files_carry_nothing(bwrap, warm):
    bwrap.warmth.allowed = warm
    assert measure(bwrap) == NOTHING


@pytest.mark.long
def test_a_programs_own_files_carry_nothing_even_where_proc_is_open(bwrap, open_proc):
    assert measure(bwrap) == NOTHING


@pytest.mark.long
@pytest.mark.parametrize("warm", [True, False])
def test_files_that_all_programs_share_carry_nothing_that_can_be_read(bwrap, warm):
    bwrap.warmth.allowed = warm
    assert measure(bwrap, file=find_shared(), stores=SHARED) == dict.fromkeys(SHARED, 0.0)


@pytest.mark.long
def test_flags_of_images_cannot_be_moved_even_where_proc_is_open(bwrap, open_proc, not_tested):
    if not bwrap.in_memory:
        not_tested("flags of images", "there is none in memory")
    assert measure(bwrap, file=find_shared(), stores=("flags",)) == {"flags": 0.0}


@pytest.mark.long
def test_the_measurement_finds_what_is_carried_without_the_cures(bwrap, open_proc, copies):
    copies(shared=True)
    found = measure(bwrap, stores=("flags", "mapped", "futex"))
    assert found["flags"] > BITS * 0.3  # a page that took a bit keeps it: later words find fewer
    assert found["mapped"] > BITS * 0.9
    assert found["futex"] > FEW * 0.6


@pytest.mark.long
def test_the_measurement_finds_what_numbers_of_files_tell_where_starts_share_a_file_system(bwrap, copies):
    copies(shared=False)
    assert measure(bwrap, stores=("numbers",))["numbers"] > FEW / 2 * 0.5


@pytest.mark.long
def test_futexes_on_files_that_all_programs_share_are_a_wire_between_those_that_live(bwrap):
    """Open, as docs/explanation/security.md says: threads cannot be waited for without such futexes."""
    assert measure(bwrap, file=find_shared(), stores=("futex",))["futex"] > FEW * 0.6


@pytest.mark.long
@pytest.mark.parametrize("way", ["warm", "cold"])
def test_nothing_is_carried_as_a_user_without_rights(tmp_path, way, not_tested):
    words = [sys.executable, "-m", "tests.attack.capacity", str(tmp_path), way]
    alone = ["unshare", "--mount", "--propagation", "private"] if os.geteuid() == 0 else []
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*alone, *words], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=patient(300),
        check=False,
    )  # fmt: skip
    if done.returncode == CANNOT or "SandboxUnavailable" in done.stderr:
        not_tested("what memory carries as a user without rights", done.stderr[-300:])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"own": NOTHING, "shared": dict.fromkeys(SHARED, 0.0)}
