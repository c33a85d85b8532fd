"""A process that becomes a user without rights, to whom it has shown closed folders before.

It is started by root in a mount namespace of its own: where interpreter or repository lie in a folder that
others may not enter, they are shown there to this process alone, and then it gives up all rights.
"""

import os
import subprocess
import sys
from pathlib import Path

NOBODY, CANNOT = 65534, 77
"""The user, and the exit code of a process that could not show what it must."""


def bind_paths(paths, room):
    """Bind each path to where it is, past the folders above it that are closed to others."""
    if Path("/proc/self/ns/mnt").readlink() == Path(f"/proc/{os.getppid()}/ns/mnt").readlink():
        sys.exit("only in a mount namespace of its own")
    shown = [(path, room / str(number)) for number, path in enumerate(paths)]
    for path, view in shown:
        view.mkdir()
        mount_shown("--bind", path, view)
    for path, view in shown:
        closed = [folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001]
        if closed:
            mount_shown("-t", "tmpfs", "-o", "mode=755", "none", closed[0])
        if not path.exists():
            path.mkdir(parents=True)
            mount_shown("--bind", view, path)


def mount_shown(*words):
    done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(print(done.stderr, file=sys.stderr) or CANNOT)


def become_nobody(*words, **environment):
    """Begin anew with these words, as a user without rights."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.chdir("/")
    os.execve(sys.executable, [sys.executable, *words], {"PATH": "/usr/bin:/bin", **environment})
