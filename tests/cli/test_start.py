"""The start of a process: its imports are complete before it has threads."""

from __future__ import annotations

import subprocess
import sys

from bench.support.patience import patient

RACE = """
from __future__ import annotations
import threading, time
from maumau.process.importing import Importing

def slow():
    looked.set()
    time.sleep(0.5)
    return int

looked = threading.Event()
with Importing():
    import msgspec

    class Inner(msgspec.Struct):
        inner: slow()

    class Outer(msgspec.Struct):
        outer: Inner

def decode():
    assert msgspec.json.decode('{"outer": {"inner": 1}}', type=Outer) == Outer(Inner(1))
    done.append("decoded")

done = []
first, second = threading.Thread(target=decode), threading.Thread(target=decode)
first.start()
looked.wait()
second.start()
first.join()
second.join()
print(*done)
"""


def test_two_threads_may_decode_the_same_type_at_once() -> None:
    """Without types built before, the second thread finds a half-built one: a segmentation fault."""
    command = [sys.executable, "-c", RACE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patient(60), check=False)
    assert (done.returncode, done.stdout) == (0, "decoded decoded\n"), done.stderr
