"""Orphans of a run: servers of test processes that were killed because they did not end when interrupted."""

import ctypes
import sys
from contextlib import suppress

import psutil

from bench.support.patience import patient

PR_SET_CHILD_SUBREAPER = 36
GRACE = 5.0  # seconds between SIGTERM and SIGKILL


def adopt_orphans() -> None:
    """Become the parent of processes whose own parent will die."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_children() -> list[str]:
    """End all descendants of this process, and return their names."""
    names = list[str]()
    while children := psutil.Process().children(recursive=True):  # the end of one makes orphans of others
        for child in children:
            with suppress(psutil.NoSuchProcess):  # its parent, told to end before, has ended it
                if child.status() != psutil.STATUS_ZOMBIE:
                    names.append(child.name())
                child.terminate()
        for child in psutil.wait_procs(children, patient(GRACE))[1]:
            with suppress(psutil.NoSuchProcess):
                child.kill()
            child.wait(patient(GRACE))
    return names
