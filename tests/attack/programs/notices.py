"""Learns when others use what is shared: events of folders, leases and locks on files of the system."""

import fcntl
import os
import signal
import struct

import wall

ACCESSED, AGAIN = 1, -(1 << 31)
FOLDER, FILE = os.open("/usr/bin", os.O_RDONLY), os.open("/usr/bin/env", os.O_RDONLY)
WHOLE = struct.pack("hhlll", fcntl.F_RDLCK, 0, 0, 0, 0)


def watch():
    signal.signal(signal.SIGIO, lambda *_: wall.say("could: see others read"))
    return fcntl.fcntl(FOLDER, fcntl.F_NOTIFY, ACCESSED | AGAIN) == 0


def hold():
    """Hold a lock that keeps the next one out."""
    fcntl.flock(FILE, fcntl.LOCK_EX | fcntl.LOCK_NB)
    second = os.open("/usr/bin/env", os.O_RDONLY)
    try:
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


wall.tries(
    watch_a_folder=watch,
    lease_a_file=lambda: fcntl.fcntl(FILE, fcntl.F_SETLEASE, fcntl.F_RDLCK) == 0,
    hold_a_file=hold,
    see_locks=lambda: fcntl.fcntl(FILE, 36, WHOLE),
)
