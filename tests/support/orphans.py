"""Orphans of a run: servers of test processes that were killed because they did not end when interrupted."""

import ctypes
import sys

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
        names += [child.name() for child in children if child.status() != psutil.STATUS_ZOMBIE]
        for child in children:
            child.terminate()
        for child in psutil.wait_procs(children, patient(GRACE))[1]:
            child.kill()
            child.wait(patient(GRACE))
    return names
