"""A test that does not end when interrupted, with both servers: `test_orphans` runs it in a process."""

import os
import signal
from pathlib import Path

import psutil


def test_it_does_not_end(valkey, postgresql):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    children = [str(child.pid) for child in psutil.Process().children(recursive=True)]
    file = Path(os.environ["HELD"])
    file.with_suffix(".new").write_text(" ".join(children))
    file.with_suffix(".new").rename(file)
    while True:
        signal.pause()
