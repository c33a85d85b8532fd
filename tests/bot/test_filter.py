"""The filter of system calls, installed in a process: of calls that are many, programs have a list."""

from __future__ import annotations

import errno
import json
import platform
import subprocess
import sys
from itertools import chain

import pytest

from maumau.sandbox.kernel.argument import ALLOWED, list_others

seccomp = pytest.importorskip(
    "maumau.sandbox.kernel.seccomp", reason="NOT TESTED here: there is no libseccomp"
)
NUMBERS = {
    "x86_64": {"prctl": 157, "setsockopt": 54, "getsockopt": 55, "fcntl": 72, "madvise": 28, "ioctl": 16},
    "aarch64": {"prctl": 167, "setsockopt": 208, "getsockopt": 209, "fcntl": 25, "madvise": 233, "ioctl": 29},
}.get(platform.machine(), {})
NUMBERS |= {"membarrier": {"x86_64": 324, "aarch64": 283}.get(platform.machine(), -1)}
NUMBERS |= {"clock_nanosleep": {"x86_64": 230, "aarch64": 115}.get(platform.machine(), -1)}
KNOWN = [known for known in ALLOWED if known.call in NUMBERS]
ANSWERED = [
    known for known in KNOWN if known.call not in {"prctl", "madvise", "membarrier", "clock_nanosleep"}
]
"""Calls that the kernel does not answer as the filter does."""
SMALL, LARGE = 128, [1 << bit for bit in range(7, 32)]
NO_FILE = 999  # a descriptor that there is not: what comes to the kernel answers EBADF
IDLE = {("fcntl", 6), ("fcntl", 7), ("fcntl", 37), ("fcntl", 38)}

CHILD = """
import ctypes, json, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl.argtypes = (ctypes.c_int, *[ctypes.c_void_p] * 4)
libc.syscall.argtypes = [ctypes.c_long] * 7
code, calls = sys.stdin.buffer.read().split(b"|||", 1)
text = ctypes.create_string_buffer(code, len(code))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, struct.pack("HP", len(code) // 8, ctypes.addressof(text)), 0, 0) == 0
def call(number, arguments):
    ctypes.set_errno(0)
    return 0 if libc.syscall(number, *arguments) >= 0 else ctypes.get_errno()
print(json.dumps([call(number, arguments) for number, arguments in json.loads(calls)]))
"""


def behind(calls, *, plays=True):
    """Return the errors of these system calls, each a number and six arguments, under the filter; 0: none."""
    told = seccomp.compile_filter(plays=plays, waits=False) + b"|||" + json.dumps(calls).encode()
    done = subprocess.run([sys.executable, "-c", CHILD], input=told, capture_output=True, check=True)
    return json.loads(done.stdout)


def arguments(known, value):
    """Return a harmless call: for a descriptor that does not exist, or with invalid pointers."""
    passed = [NO_FILE if known.call in {"fcntl", "ioctl", "setsockopt", "getsockopt"} else 0, 1, 0, 0, 0, 0]
    if known.call.endswith("sockopt"):
        passed[2] = 3 if known.call == "getsockopt" else 2
    passed[known.position] = value
    return NUMBERS[known.call], passed


@pytest.mark.sample(8)
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: f"{known.call}-{known.position}")
def test_all_but_the_listed_values_of_an_argument_are_refused(known):
    others = [value for value in (*range(SMALL), *LARGE) if value not in known.allowed]
    tried = [(call, [*passed]) for call, passed in (arguments(known, value) for value in others)]
    assert dict(zip(others, behind(tried), strict=True)) == dict.fromkeys(others, known.refusal)


@pytest.mark.parametrize("known", ANSWERED, ids=lambda known: f"{known.call}-{known.position}")
def test_the_listed_values_come_to_the_kernel(known):
    tried = [value for value in sorted(known.allowed) if (known.call, value) not in IDLE]
    found = behind([arguments(known, value) for value in tried])
    assert dict(zip(tried, found, strict=True)) == dict.fromkeys(tried, errno.EBADF)


def test_a_process_may_ask_whether_it_is_behind_a_wall():
    new_privileges, filtered = [39, 0, 0, 0, 0, 0], [21, 0, 0, 0, 0, 0]
    assert behind([(NUMBERS["prctl"], new_privileges), (NUMBERS["prctl"], filtered)]) == [0, 0]


@pytest.mark.sample(3)
@pytest.mark.skipif(platform.machine() != "x86_64", reason="NOT TESTED here: numbers of another architecture")
@pytest.mark.parametrize(
    ("number", "passed", "play", "build"),
    [
        pytest.param(280, [-100, 0, 0, 0, 0, 0], 0, errno.EFAULT, id="utimensat"),
        pytest.param(137, [0, 0, 0, 0, 0, 0], errno.ENOSYS, errno.EFAULT, id="statfs"),
        pytest.param(317, [0, 0, 0, 0, 0, 0], errno.EPERM, errno.EPERM, id="seccomp"),
        pytest.param(434, [1, 0, 0, 0, 0, 0], errno.ENOSYS, errno.ENOSYS, id="pidfd_open"),
        pytest.param(449, [0, 0, 0, 0, 0, 0], errno.ENOSYS, errno.ENOSYS, id="futex_waitv"),
        pytest.param(202, [0, 6, 0, 1, 0, 0], errno.ENOSYS, errno.ENOSYS, id="futex: lock with a limit"),
        pytest.param(202, [0, 6, 0, 0, 0, 0], errno.EFAULT, errno.EFAULT, id="futex: lock without a limit"),
        pytest.param(202, [0, 13 | 128, 0, 1, 0, 0], errno.ENOSYS, errno.ENOSYS, id="futex: private"),
        pytest.param(202, [0, 11 | 384, 0, 1, 0, 0], errno.ENOSYS, errno.ENOSYS, id="futex: real time"),
        pytest.param(202, [0, 128, 0, 1, 0, 0], errno.EFAULT, errno.EFAULT, id="futex: a wait with a limit"),
        pytest.param(332, [-100, 0, 0, 0xFFF, 0, 0], errno.EFAULT, errno.EFAULT, id="statx"),
        pytest.param(332, [-100, 0, 0, 0x4000, 0, 0], errno.EINVAL, errno.EINVAL, id="statx: unique mounts"),
        pytest.param(40, [1, 0, 0, 0, 0, 0], errno.EINVAL, errno.EINVAL, id="sendfile"),
        pytest.param(41, [1, 1, 5, 0, 0, 0], errno.EPROTONOSUPPORT, errno.EPROTONOSUPPORT, id="socket"),
        pytest.param(41, [1, 4, 0, 0, 0, 0], errno.ESOCKTNOSUPPORT, errno.ESOCKTNOSUPPORT, id="socket: type"),
        pytest.param(41, [1, 0x80801, 1, 0, 0, 0], 0, 0, id="socket: flags"),
        pytest.param(41, [2, 1, 6, 0, 0, 0], errno.EAFNOSUPPORT, errno.EAFNOSUPPORT, id="socket: internet"),
        pytest.param(41, [1, 1, 0, 0, 0, 0], 0, 0, id="socket: unix"),
        pytest.param(53, [1, 1, 5, 0, 0, 0], errno.EPROTONOSUPPORT, errno.EPROTONOSUPPORT, id="socketpair"),
        pytest.param(
            53, [1, 6, 0, 0, 0, 0], errno.ESOCKTNOSUPPORT, errno.ESOCKTNOSUPPORT, id="socketpair: type"
        ),
        pytest.param(53, [1, 0x80005, 0, 0, 0, 0], errno.EFAULT, errno.EFAULT, id="socketpair: flags"),
        pytest.param(49, [NO_FILE, 0, 2, 0, 0, 0], errno.EINVAL, errno.EINVAL, id="bind: to any name"),
        pytest.param(49, [NO_FILE, 0, 5, 0, 0, 0], errno.EBADF, errno.EBADF, id="bind: to a name"),
        pytest.param(9, [0, 1 << 21, 3, 0x40022, -1, 0], errno.EINVAL, errno.EINVAL, id="mmap: huge pages"),
        pytest.param(9, [0, 1 << 21, 3, 0x22, -1, 0], 0, 0, id="mmap: memory"),
        pytest.param(72, [0, 4, 0x2000, 0, 0, 0], errno.EINVAL, errno.EINVAL, id="fcntl: O_ASYNC"),
        pytest.param(72, [NO_FILE, 7, 0, 0, 0, 0], 0, 0, id="fcntl: a lock"),
    ],
)
def test_a_call_is_answered(number, passed, play, build):
    assert behind([(number, passed)]) == [play]
    assert behind([(number, passed)], plays=False) == [build]


@pytest.mark.parametrize("allowed", [{0}, {5, 6}, {0, 1, 2, 3}, {15}, {0, 7, 8, 15}])
def test_the_ranges_are_all_numbers_but_the_allowed_ones(allowed):
    found = list(list_others(allowed, bits=4))
    fitting = [[number for number in range(16) if number & mask & 15 == value] for mask, value in found]
    assert sorted(chain.from_iterable(fitting)) == [number for number in range(16) if number not in allowed]


def test_a_filter_is_within_what_kernels_take():
    instructions = len(seccomp.compile_filter(plays=True, waits=True)) // 8
    assert instructions <= 4096
