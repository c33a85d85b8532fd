"""Busy loops that keep cores from what is tested."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LOOPS = 2


@contextmanager
def run_busy_loops(loops: int = LOOPS) -> Iterator[None]:
    """Run busy loops at normal priority while the context lasts."""
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()
