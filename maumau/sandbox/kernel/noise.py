"""Noise in a counter that no filter can hide: the inode numbers of pipes and sockets.

The kernel numbers them one after the other on each core, and `fstat`, which the C library needs, tells the
number. A program could bring it to a value, and read that value in its next seating.
"""

from __future__ import annotations

import ctypes
import secrets
import socket
from collections import deque
from itertools import repeat

MOST = 2048
"""The most numbers skipped, drawn anew each time: the low 11 bits become random."""
NO_PROTOCOL = 5
"""A protocol that unix sockets do not have: the kernel makes the inode, counts it, and gives it up."""
LIBC = ctypes.PyDLL(None)  # a call that never waits: it need not release the interpreter
LIBC.socket.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int)


def skip_inode_numbers() -> None:
    """Skip a random number of inode numbers on this core."""
    count = secrets.randbelow(MOST)
    family, kind = int(socket.AF_UNIX), int(socket.SOCK_STREAM)
    made = map(LIBC.socket, repeat(family, count), repeat(kind), repeat(NO_PROTOCOL))
    deque(made, maxlen=0)
