"""The number of bits that a program can leave for its next self in the caches of files below /usr.

The images in memory (decision 29) leave chance; the machine's own /usr, which build steps are shown, shows
that the measurement finds what is there.
"""

from __future__ import annotations

import random
import shutil
import uuid
from pathlib import Path

import pytest

from maumau.errors import SandboxUnavailable
from maumau.protocol.limit import RunLimits
from maumau.sandbox.launch import Launch, choose_sandbox
from tests.attack.carry import PLACES

TRIES = 4
BITS = TRIES * PLACES
CHANCE = 195
"""Right bits of 256 that are still chance: some 160 by the best threshold, with a deviation of 8."""
LIMITS = RunLimits()
BUILD = "a build step"  # in place of a runtime


@pytest.fixture
def bwrap(not_tested):
    try:
        return choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        not_tested("what is carried from seating to seating", str(reason))


@pytest.fixture
def carry(bwrap, tmp_path):
    """Return a function that runs carry.py in the sandbox, for a runtime, and returns its output."""
    folder = tmp_path / "carry"
    folder.mkdir()
    shutil.copy(Path(__file__).with_name("carry.py"), folder)

    def carried(runtime, *words):
        run = ["python3", "-S", "carry.py", *words]
        sandboxed = bwrap.start(Launch(folder, "", run, runtime, LIMITS, 60, charged=runtime != BUILD))
        try:
            assert sandboxed.wait(60)
            with open(sandboxed.stdout, closefd=False) as out:
                return out.read()
        finally:
            sandboxed.close()

    return carried


def measure(carry, runtime, store):
    """Bits that are read right by the best threshold."""
    times, written = [], []
    for _ in range(TRIES):
        salt, bits = uuid.uuid4().hex, [random.choice("01") for _ in range(PLACES)]
        carry(runtime, store, salt, "".join(bits))
        times += map(int, carry(runtime, store, salt).split())
        written += bits
    assert len(times) == BITS
    return max(count_right(times, written, threshold) for threshold in times)


def count_right(times, written, threshold):
    """Return the number of correct bits, where a short time means that the place was touched."""
    return sum((took < threshold) == (bit == "1") for took, bit in zip(times, written, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("runtime", ["python", "node", "java", "bash"])
@pytest.mark.parametrize("store", ["names", "pages"])
def test_what_is_read_below_usr_carries_nothing_to_the_next_seating(bwrap, carry, runtime, store, not_tested):
    if not bwrap.holds_in_memory(runtime):
        not_tested(f"what {runtime} carries from seating to seating", "no image in memory")
    assert measure(carry, runtime, store) <= CHANCE


@pytest.mark.long
def test_the_measurement_finds_what_the_machine_s_own_usr_carries(carry):
    assert measure(carry, BUILD, "names") > CHANCE
