"""A program that dies with its parent: `python -I -S leash.py PARENT PROGRAM ARGUMENT…`.

The kernel sends SIGKILL when the parent's thread that started it ends, for any reason. That is set here and
not in the parent between fork and exec, where a process with threads may do next to nothing.
"""

import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Tie this process to the parent, then replace it with the program."""
    parent, *command = sys.argv[1:]
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):  # the parent died before the request
        sys.exit(1)
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
