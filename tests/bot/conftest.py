"""The programs beside this file as submissions, and a table that checks that nothing is left of them."""

from __future__ import annotations

import shutil
import tempfile
import time
import uuid
from functools import partial
from pathlib import Path

import pytest

from bench.patience import Deadline
from maumau.bot import package
from maumau.bot.referee import BlockOrder, Program, play_block
from maumau.bot.sandbox import choose_sandbox
from maumau.bot.validate import validate_program
from maumau.errors import SandboxUnavailable
from tests.again import play_until_a_result

PROGRAMS = Path(__file__).parent / "programs"
SEEDS = [f"{number:064x}" for number in range(100)]


@pytest.fixture(scope="session")
def bwrap():
    try:
        return choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        pytest.skip(f"NOT TESTED here in bwrap: {reason}")


@pytest.fixture(scope="session")
def process():
    return choose_sandbox("process")


@pytest.fixture
def mark():
    """A word that every program of this test has on its command line."""
    return uuid.uuid4().hex


@pytest.fixture
def room():
    """A folder that every user may read, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="maumau-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def submit(room, mark):
    """Make a program of tests/bot/programs a submission, packed and unpacked as the arena does it."""

    return partial(submission, room, mark)


@pytest.fixture
def validate(bwrap):
    """The report of a validation that the host did not disturb."""
    return lambda program: play_until_a_result(lambda: validate_program(program, bwrap))


def submission(room: Path, mark: str, name: str, toml: str = "", **files: str) -> Program:
    """Pack and unpack one of the programs; `files` lie beside it."""
    source, target = room / f"{name}-source", room / f"{name}-{uuid.uuid4().hex}"
    source.mkdir(exist_ok=True)
    shutil.copy(PROGRAMS / "loop.py", source)
    shutil.copy(PROGRAMS / f"{name}.py", source / "bot.py")
    for file, text in files.items():
        (source / file).write_text(text)
    manifest = toml or f'run = ["python3", "bot.py", "{mark}"]\n'
    (source / "bot.toml").write_text(f'name = "{name}"\n{manifest}')
    packed = package.unpack_archive(package.pack_submission(source).archive, target)
    return Program(target, packed.manifest, packed.sha256, name)


@pytest.fixture
def play(bwrap, submit, mark):
    """Play a block; afterwards no process of it lives and no fault is booked to a program called good."""

    def played(
        *names: str | Program, sets: int = 2, sandbox=bwrap, on_deal=None, on_look=None, pace=None, **order
    ):
        programs = [submit(name) if isinstance(name, str) else name for name in names]
        block = BlockOrder("mau_mau", len(programs), SEEDS[:sets], **order)
        outcome = play_until_a_result(
            lambda: play_block(block, programs, sandbox, on_deal, None, on_look, pace)
        )
        assert living(mark) == []
        assert [len(each.deals) for each in outcome.sets] == [len(programs)] * sets
        assert "good" not in {programs[fault.entrant].name for fault in faults(outcome)}
        return outcome

    return played


def faults(outcome):
    """All faults of a block, in the order seating, deal."""
    found = [fault for each in outcome.sets for one in each.deals for fault in one.faults]
    return sorted(found, key=lambda fault: (fault.seating, fault.deal))


def living(mark: str) -> list[str]:
    """The processes on this machine with this word on their command line, given a moment to be reaped."""
    deadline = Deadline(2)
    while (found := _running(mark)) and not deadline.has_passed():
        time.sleep(0.01)
    return found


def _running(mark: str) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_text()
        except OSError:
            continue
        if mark in line:
            found.append(f"{folder.name}: {line}")
    return found


@pytest.fixture(name="faults")
def faults_of():
    return faults


@pytest.fixture(name="living")
def living_of():
    return living
