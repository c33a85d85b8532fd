"""A program's files are its wall's own: new at each start, whole, and gone with it."""

from __future__ import annotations

import os
import resource
from contextlib import closing
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau.errors import PlatformFault, ProgramGone
from maumau.protocol.limit import BUILT, MIB, RunLimits
from maumau.referee.block import BlockOrder, play_block
from maumau.sandbox.files import program_file
from maumau.sandbox.kernel.host import is_readable
from maumau.sandbox.launch import Launch

HASH = """
import hashlib, os
found = [os.path.join(top, name) for top, _, names in os.walk(".") for name in names]
for path in sorted(found):
    name = hashlib.sha256(open(path, "rb").read()).hexdigest()[:8]
    print(path, name, os.access(path, os.X_OK), os.access(path, os.W_OK))
"""


def start(bwrap, folder, *run):
    return closing(bwrap.start(Launch(folder, "", [*run], "python", RunLimits(), 60)))


def read(sandboxed):
    assert sandboxed.wait(patient(60))
    with open(sandboxed.stdout, closefd=False) as said:
        return said.read()


def test_a_program_finds_its_files_whole_and_cannot_write_to_them(bwrap, room):
    (room / "in").mkdir()
    (room / "bot.py").write_text(HASH)
    (room / "in/tool").write_bytes(b"#!/bin/sh\n")
    (room / "in/tool").chmod(0o755)
    (room / "large").write_bytes(b"12345678" * (5 * MIB))  # more than /tmp has room for
    (room / "none").touch()
    with start(bwrap, room, "python3", "bot.py") as sandboxed:
        rows = [row.split() for row in read(sandboxed).splitlines()]
    assert [row[0] for row in rows] == ["./bot.py", "./in/tool", "./large", "./none"]
    assert [row[1] for row in rows][2:] == ["4470eec4", "e3b0c442"]
    assert [row[2:] for row in rows] == [["False", "False"], ["True", "False"], *[["False", "False"]] * 2]


@pytest.mark.long
def test_a_program_of_as_many_files_as_may_be_starts(bwrap, room):
    (room / "bot.py").write_text("import os; print(len(os.listdir('.')))")
    for number in range(BUILT.members - 1):
        (room / f"{number}").write_text("")
    with start(bwrap, room, "python3", "bot.py") as sandboxed:
        assert read(sandboxed) == f"{BUILT.members}\n"
    (room / "more").touch()
    with pytest.raises(PlatformFault, match=r"2501 files, at most 2500 can be shown"):
        bwrap.start(Launch(room, "", ["python3", "bot.py"], "python", RunLimits(), 60))


def test_files_that_are_gone_are_not_the_sandboxs_fault(bwrap, room):
    with pytest.raises(ProgramGone, match="gone from"):
        bwrap.start(Launch(room / "gone", "", ["python3", "bot.py"], "python", RunLimits(), 60))


def test_nothing_of_a_program_lies_in_the_machines_memory_while_it_runs_or_afterwards(bwrap, room):
    (room / "bot.py").write_text("print('here', flush=True); input()")
    (room / f"unheard-of-{os.getpid()}").write_text("1")
    with start(bwrap, room, "python3", "bot.py"):
        assert list(Path("/dev/shm").rglob("unheard-of-*")) == []
    assert list(Path("/dev/shm").rglob("unheard-of-*")) == []


def test_a_program_without_room_is_the_platforms_fault(bwrap, submit, monkeypatch):
    filled = submit("good", large="#" * 6 * program_file.PAGE)
    monkeypatch.setattr(program_file, "ROOM", -4 * program_file.PAGE)
    with pytest.raises(PlatformFault, match="No space left on device"):
        play_block(BlockOrder("mau_mau", 2, ["a"]), [filled, filled], bwrap)


def test_a_sandbox_that_ends_before_it_is_let_go_says_why(bwrap, submit, monkeypatch):
    filled = submit("good", large="#" * 6 * program_file.PAGE)
    monkeypatch.setattr(program_file, "ROOM", -4 * program_file.PAGE)
    admit = bwrap._admit_process

    def wait_for_end(process, *parts):
        sandboxed = admit(process, *parts)
        assert is_readable(sandboxed._outer, patient(60))
        return sandboxed

    monkeypatch.setattr(bwrap, "_admit_process", wait_for_end)
    with pytest.raises(PlatformFault, match="No space left on device"):
        play_block(BlockOrder("mau_mau", 2, ["a"]), [filled, filled], bwrap)


def test_room_for_descriptors_is_made_once(room):
    (room / "bot.py").touch()
    with program_file.open_program(room) as found:
        assert len(found.descriptors) == 1
        assert found.descriptors[0] >= program_file.LOWEST_DESCRIPTOR
        assert "--remount-ro" in found.words
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= program_file.LOWEST_DESCRIPTOR + BUILT.members
