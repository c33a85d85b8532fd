"""Arguments of system calls that programs may pass; the filter (seccomp.py) refuses all others.

One call has many operations; values that future kernels add are refused, since no library needs them today.
"""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator

import msgspec

BITS = 32
WHOLE = (1 << BITS) - 1
"""The part of an argument that the kernel reads."""


class Argument(msgspec.Struct, frozen=True):
    """The values that one argument of a call may have, by its position; `refusal`: the error for others."""

    call: str
    position: int
    allowed: frozenset[int]
    refusal: int = errno.EINVAL


SOL_SOCKET = frozenset({1})
SET_OPTIONS = frozenset({2, 6, 7, 8, 9, 13, 15, 20, 21})
# SO_REUSEADDR, _BROADCAST, _SNDBUF, _RCVBUF, _KEEPALIVE, _LINGER, _REUSEPORT, _RCVTIMEO, _SNDTIMEO. Not:
# SO_PASSCRED, which makes the kernel name the socket.
READ_OPTIONS = frozenset(
    {3, 4, 17, 30, 38, 39}
)  # SO_TYPE, _ERROR, _PEERCRED, _ACCEPTCONN, _PROTOCOL, _DOMAIN

ALLOWED = (
    # PR_SET_ and GET_PDEATHSIG, GET_DUMPABLE, SET_ and GET_NAME, GET_SECCOMP, CAPBSET_READ, GET_TIMERSLACK,
    # SET_ and GET_NO_NEW_PRIVS, SVE_SET_ and SVE_GET_VL. Not: barriers at context switches
    # (PR_SET_SPECULATION_CTRL), merging of memory, custom filters, whose machine code counts against a limit
    # of the whole machine.
    Argument("prctl", 0, frozenset({1, 2, 3, 15, 16, 21, 23, 30, 38, 39, 50, 51})),
    # ARCH_SET_FS and ARCH_GET_FS. Not: processor state that every context switch would save and restore.
    Argument("arch_prctl", 0, frozenset({0x1002, 0x1003})),
    # Not: filters of sockets, whose machine code counts likewise; cookies and handles, which are counters.
    Argument("setsockopt", 1, SOL_SOCKET, errno.ENOPROTOOPT),
    Argument("setsockopt", 2, SET_OPTIONS, errno.ENOPROTOOPT),
    Argument("getsockopt", 1, SOL_SOCKET, errno.ENOPROTOOPT),
    Argument("getsockopt", 2, SET_OPTIONS | READ_OPTIONS, errno.ENOPROTOOPT),
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, locks (which are idle), F_DUPFD_CLOEXEC. Not: owners of
    # signals, leases, notices of changed folders, hints stored with a file, sizes of the referee's pipes.
    Argument("fcntl", 1, frozenset({0, 1, 2, 3, 4, 6, 7, 37, 38, 1030})),
    # Of one's own memory. Not: reading ahead, punching holes, sharing equal pages, cooling and dropping.
    Argument("madvise", 2, frozenset({0, 1, 2, 4, 8, 10, 11, 14, 15, 16, 17, 18, 19, 22, 23, 24, 102, 103})),
    # CLOCK_REALTIME and CLOCK_MONOTONIC. Not: clocks on which hardly anything sleeps: a sleeper is first
    # in line there, and any timer interrupt wakes it as soon as it is due, in spite of its slack.
    Argument("clock_nanosleep", 0, frozenset({0, 1})),
    # Queries, and commands that affect only the caller's core.
    Argument("membarrier", 0, frozenset({0, 8, 16, 32, 64, 512})),
    # TCGETS and TIOCGWINSZ, which ask whether it is a terminal; FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
    Argument("ioctl", 1, frozenset({0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451}), errno.ENOTTY),
)


def list_others(allowed: Collection[int], first: int = 0, bits: int = BITS) -> Iterator[tuple[int, int]]:
    """Yield (mask, value) pairs: a number of 32 bits fits one of them unless it is `allowed`.

    The pairs cover `first` to `first + 2**bits` in as few aligned ranges as possible.
    """
    inside = [number for number in allowed if number >> bits == first >> bits]
    if not inside:
        yield WHOLE >> bits << bits, first
    elif bits:
        half = bits - 1
        yield from list_others(inside, first, half)
        yield from list_others(inside, first | 1 << half, half)
