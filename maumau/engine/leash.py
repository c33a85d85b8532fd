"""Run a program of a build until it or the builder ends: `python -I -S leash.py PROGRAM ARGUMENT…`.

This process leads a process group. When its stdin closes, as it does however the builder ends, it kills the
group, and so a compiler's own children too.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading


def main() -> None:
    """Run the program, and end with its exit code or by its signal."""
    threading.Thread(target=_end_with_builder, daemon=True).start()
    code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL)
    if code < 0:
        with contextlib.suppress(OSError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _end_with_builder() -> None:
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
