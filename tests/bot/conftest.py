"""The programs beside this file as submissions, and a table that checks that nothing is left of them."""

from __future__ import annotations

import tempfile
import time
import uuid
from functools import partial
from pathlib import Path

import pytest

from bench.support.patience import Deadline
from maumau.errors import SandboxUnavailable
from maumau.referee.block import BlockOrder, Program, play_block
from maumau.sandbox.launch import choose_sandbox
from maumau.submission.validate import validate_program
from tests.support.again import play_until_a_result
from tests.support.submission import pack_submission

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
    """Return a word that every program of this test has on its command line."""
    return uuid.uuid4().hex


@pytest.fixture
def room():
    """Yield a folder that every user may read, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="maumau-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def submit(room, mark):
    """Make a program of tests/bot/programs a submission, packed and unpacked as the arena does it."""

    return partial(pack_submission, room, mark)


@pytest.fixture
def validate(bwrap):
    """Return the report of a validation that the host did not disturb."""
    return lambda program: play_until_a_result(lambda: validate_program(program, bwrap))


@pytest.fixture
def play(bwrap, submit, mark):
    """Play a block; afterwards no process of it lives and no fault is booked to a program called good."""

    def played(
        *names: str | Program, rules="mau_mau", sets: int = 2, sandbox=bwrap, on_deal=None, on_look=None,
        pace=None, **order,
    ):  # fmt: skip
        programs = [submit(name) if isinstance(name, str) else name for name in names]
        block = BlockOrder(rules, len(programs), SEEDS[:sets], **order)
        outcome = play_until_a_result(
            lambda: play_block(block, programs, sandbox, on_deal, None, on_look, pace)
        )
        assert living(mark) == []
        assert [len(each.deals) for each in outcome.sets] == [len(programs)] * sets
        assert "good" not in {programs[fault.entrant].name for fault in faults(outcome)}
        return outcome

    return played


def faults(outcome):
    """Return all faults of a block, in the order seating, deal."""
    found = [fault for each in outcome.sets for one in each.deals for fault in one.faults]
    return sorted(found, key=lambda fault: (fault.seating, fault.deal))


def living(mark: str) -> list[str]:
    """Return the processes with this word on their command line that do not end within two seconds."""
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
