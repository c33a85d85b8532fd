"""The process that makes a review for the page: of the lowest priority, bounded, gone with its parent."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import psutil
import pytest

from bench.support.checkout import ROOT
from maumau.review.__main__ import Answer, ReviewOrder, carry_out
from tests.review.laid_out import play_somehow, shuffle_out, write_record
from tests.support.polling import is_alive, until

PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-m", "maumau.review"], stdin=subprocess.PIPE)
child.stdin.write(sys.stdin.buffer.read())
child.stdin.close()
print(child.pid, flush=True)
child.wait()
"""


def an_order(seconds: float) -> ReviewOrder:
    laid = shuffle_out("mau_mau", 2, 1)
    return ReviewOrder(write_record(laid, play_somehow(laid, 1)), 1, seconds)


@pytest.mark.long
def test_it_answers_as_the_function_does() -> None:
    order = an_order(0.05)
    command = [sys.executable, "-m", "maumau.review"]
    found = subprocess.run(
        command, input=msgspec.json.encode(order), capture_output=True, check=True, cwd=ROOT
    )
    assert msgspec.json.decode(found.stdout, type=Answer) == carry_out(order)


def test_it_is_of_the_lowest_priority_and_dies_with_its_parent() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=pipe, stdout=pipe, cwd=ROOT) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(msgspec.json.encode(an_order(600.0)))
        parent.stdin.close()
        pid = int(parent.stdout.readline())
        until("it is bounded", lambda: psutil.Process(pid).rlimit(psutil.RLIMIT_CPU) == (3601, 3601))
        assert psutil.Process(pid).nice() == 19
        parent.kill()
    until("it is gone", lambda: not is_alive(pid))
