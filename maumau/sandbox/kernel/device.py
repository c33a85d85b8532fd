"""Read-only devices for build steps: `python3 -m maumau.sandbox.kernel.device PID`, run by the referee.

A program at play cannot set file times at all (seccomp.py), but build tools must. The devices are
the host's own, and write permission for a file is enough to set its times to the present; through a read-only
mount a device still reads and writes bytes, while the file itself cannot be changed. bubblewrap's read-only
mounts disable devices, so this is done here, from outside, while it waits to start its command.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import subprocess
import sys
import time

from maumau.errors import PlatformFault

NAMES = ("null", "zero", "full", "random", "urandom")
"""The devices of programs: only those that read and write bytes."""
GET_OWNER = 0xB701  # NS_GET_USERNS: the user namespace that a namespace belongs to
READ_ONLY, REMOUNT, BIND, RELATIVE_TIMES = 1, 32, 4096, 1 << 21  # MS_RDONLY, _REMOUNT, _BIND, _RELATIME
KEPT = os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME  # flags of mount alike
WAIT = 60.0  # seconds
MOUNT_PAUSE = 0.005  # seconds between two looks
LIBC = ctypes.CDLL(None, use_errno=True)


def make_read_only(pid: int) -> None:
    """Make the devices that this process behind a wall will find read-only; PlatformFault if that fails."""
    command = [sys.executable, "-P", "-m", "maumau.sandbox.kernel.device", str(pid)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PlatformFault(f"The devices of a build step could not be made read-only: {error}.") from error
    if done.returncode:
        words = done.stderr.strip()[-500:]
        raise PlatformFault(f"The devices of a build step could not be made read-only: {words}.")


def _enter_mounts(pid: int) -> None:
    """Join the namespaces in which the process's mounts were made."""
    mounts = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    for space in (fcntl.ioctl(mounts, GET_OWNER), mounts):
        _check_code(LIBC.setns(space, 0))


def _remount_when_mounted(path: bytes, until: float) -> None:
    """Remount a device as soon as it is a mount: bubblewrap names its process before all are made."""
    while True:
        try:
            _remount_read_only(path)
        except OSError as error:
            if error.errno not in {errno.ENOENT, errno.EINVAL} or time.monotonic() > until:
                raise
            time.sleep(MOUNT_PAUSE)
        else:
            return


def _remount_read_only(path: bytes) -> None:
    """Add the read-only flag to a mount's flags."""
    found = os.statvfs(path).f_flag
    times = RELATIVE_TIMES if found & os.ST_RELATIME else 0
    flags = READ_ONLY | REMOUNT | BIND | found & KEPT | times
    _check_code(LIBC.mount(None, path, None, ctypes.c_ulong(flags), None))


def _check_code(code: int) -> None:
    if code < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def main(pid: int) -> None:
    """Join the process's mounts and change them."""
    _enter_mounts(pid)
    until = time.monotonic() + WAIT / 2
    for name in NAMES:
        _remount_when_mounted(f"/dev/{name}".encode(), until)


if __name__ == "__main__":
    main(int(sys.argv[1]))
