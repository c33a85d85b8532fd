"""The number of bits that a program can leave in the inode numbers of pipes, which `fstat` tells.

Between one life's end and the next one's start the referee skips a random number of them. What is looked at
are the low ten bits, which other cores do not move; the control shows that they carry a word without it, on
a host where nobody else moves them.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau.errors import SandboxUnavailable
from maumau.sandbox.kernel import noise
from maumau.sandbox.launch import choose_sandbox
from tests.attack.lives import measure_lives
from tests.attack.suite import choose_core
from tests.support.host.nobody import CANNOT

ROOT = Path(__file__).resolve().parents[2]
LIVES = 33
BATCH = 1024  # numbers that a core takes at once, so that other cores shift its next ones by multiples of it
NEAR = BATCH // 4
MANY = 20
"""Of 32 differences, more than chance puts into the quarter that has most of them: 13, at worst 18."""
TRIES = 4  # of the control
QUIET = 30
"""Of 32 differences, those of a core where nobody but the measurement makes pipes."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="NOT TESTED here: there is no gcc"),
]


def count_near(lives):
    """Return how many differences between numbers left and found are within one quarter of the circle."""
    moved = [(found - left) % BATCH for (_, left), (found, _) in itertools.pairwise(lives)]
    return max(sum((other - one) % BATCH < NEAR for other in moved) for one in moved)


@pytest.fixture
def play(monkeypatch, tmp_path):
    """Plays lives in this process, or as a user without rights in another one."""
    try:
        choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        pytest.skip(f"NOT TESTED here: numbers of pipes in bwrap: {reason}")

    def played(user, way, skipped):
        monkeypatch.setattr(noise, "MOST", noise.MOST)  # given back afterwards
        if user == "this user":
            return measure_lives(LIVES, warm=way == "warm", skipped=skipped)
        alone = ["unshare", "--mount", "--propagation", "private"] if os.geteuid() == 0 else []
        words = [sys.executable, "-m", "tests.attack.lives", tmp_path, str(LIVES), way, str(skipped)]
        done = subprocess.run(
            [*alone, *words],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=patient(120),
        )
        if done.returncode == CANNOT or "SandboxUnavailable" in done.stderr:
            pytest.skip(f"NOT TESTED here as a user without rights: {done.stderr[-300:]}")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return played


@pytest.mark.parametrize("way", ["warm", "cold"])
@pytest.mark.parametrize("user", ["this user", "a user without rights"])
def test_the_low_bits_of_the_numbers_of_pipes_are_chance_from_one_seating_to_the_next(play, user, way):
    assert count_near(play(user, way, noise.MOST)) <= MANY


def test_near_numbers_are_found_and_even_ones_are_not():
    quiet = [(100 + 50 * life, 110 + 50 * life + life % 7) for life in range(LIVES)]
    assert count_near(quiet) == LIVES - 1
    moved = [(found + 300 * (n > 20), left + 300 * (n >= 20)) for n, (found, left) in enumerate(quiet)]
    assert count_near(moved) == LIVES - 1  # what moves within a life is none of the next one's
    even = [(life * 31 * (life + 1) // 2, life * 31 * (life + 1) // 2) for life in range(LIVES)]
    assert count_near(even) <= MANY  # steps of 31, 62, ...: spread over the whole circle


def test_without_the_skipped_numbers_the_measurement_finds_the_word(play):
    began = time.monotonic()
    if any(count_near(play("this user", "warm", 1)) > MANY for _ in range(TRIES)):
        return
    pause = (time.monotonic() - began) / TRIES / LIVES
    assert count_near(watch_numbers(pause)) < QUIET, "nobody else moved the numbers; the word is lost anyway"
    pytest.skip("NOT TESTED here: other programs on this core make too many pipes and sockets")


def watch_numbers(pause):
    """Return the numbers that a core gives as often as lives take them, where nobody plays."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {choose_core()})
    try:
        seen = []
        for _ in range(LIVES):
            seen.append((read_number(), read_number()))
            threading.Event().wait(pause)
        return seen
    finally:
        os.sched_setaffinity(0, before)


def read_number():
    """Return the inode number of a new pipe."""
    ends = os.pipe()
    try:
        return os.fstat(ends[0]).st_ino
    finally:
        for end in ends:
            os.close(end)
