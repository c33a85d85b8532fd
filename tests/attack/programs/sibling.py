"""Has its work done by a sibling: a child of its parent's, who is outside the wall's processes."""

import os
import platform
import time

import wall

CLONE, CLONE_PARENT, SIGCHLD = {"x86_64": 56, "aarch64": 220}[platform.machine()], 0x8000, 17


def work():
    made = wall.LIBC.syscall(CLONE, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)
    if made == 0:
        until = time.monotonic() + 5
        while time.monotonic() < until:
            pass
        os._exit(0)
    if made < 0:
        raise OSError(wall.ctypes.get_errno(), "clone")
    return made


wall.tries(have_a_sibling=work)
