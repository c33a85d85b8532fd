"""Becomes a program that dies with its parent: `python -I -S leash.py PARENT PROGRAM ARGUMENT…`.

The kernel sends SIGKILL when the parent's thread that started it ends, however that comes about. Set here and
not in the parent between fork and exec, where a process with threads may do next to nothing.
"""

import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ties itself to the parent, then runs the program in its place."""
    parent, *command = sys.argv[1:]
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):  # it died before the request
        sys.exit(1)
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
