"""The entry of a fork into bubblewrap's namespaces, in which it drops all rights and becomes the program.

It repeats by hand the steps of bubblewrap and `prlimit` for a program that they start: the referee compares
it with a process that they started in the same sandbox (maumau/sandbox/warm.py) before it releases it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys

from maumau.sandbox.inside.landlock import confine_reading
from maumau.sandbox.inside.order import GO, READY, ForkOrder

# of prctl, from linux/prctl.h
DEATH_SIGNAL, DUMPABLE, NAME, SECCOMP, DROP_BOUNDING, NO_NEW_PRIVS, AMBIENT = 1, 4, 15, 22, 24, 38, 47
FILTER, CLEAR_ALL = 2, 4
CAPABILITIES = struct.pack("Ii", 0x20080522, 0)  # of this process, version 3
INSTRUCTION = 8  # bytes of one in a filter
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.fopen.restype = ctypes.c_void_p
LIBC.prctl.argtypes = (ctypes.c_int, *[ctypes.c_void_p] * 4)


def enter_wall(order: ForkOrder, spaces: list[int], pipes: list[int]) -> None:
    """Join these namespaces, except that of processes, in which it was born, and drop all rights."""
    for number, pipe in enumerate(pipes):
        os.dup2(pipe, number)
    os.sched_setaffinity(0, order.cores)
    os.setsid()
    for space in spaces:
        check_call(LIBC.setns(space, 0))
    os.closerange(len(pipes), os.sysconf("SC_OPEN_MAX"))
    os.setresgid(order.group, order.group, order.group)
    os.setresuid(order.user, order.user, order.user)
    for name, value in order.limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))
    os.chdir(os.environ["PWD"])
    _set_process_name(["python3", *order.words])
    _give_up()
    if order.readable:
        confine_reading(order.version, order.readable)
    _install_filter(order.filter)


def wait_for_release() -> None:
    """Report that the process is ready, and wait until the referee has checked it."""
    os.write(1, READY)
    if os.read(0, len(GO)) != GO:
        os._exit(1)


def run_program(words: list[str]) -> int:
    """Run the file as `python3 FILE …` does; return the exit code."""
    sys.argv, sys.orig_argv = list(words), ["python3", *words]
    sys.path[0] = os.path.dirname(os.path.realpath(words[0]))  # noqa: PTH120  # pathlib is not the SDK's
    path = os.path.abspath(words[0]).encode()  # noqa: PTH100  # ditto
    file = LIBC.fopen(path, b"rb")
    if not file:
        return 2
    code: int = ctypes.pythonapi.PyRun_SimpleFileExFlags(ctypes.c_void_p(file), path, 1, None)
    return -code


def check_call(code: int) -> None:
    """Raise OSError if a call of the C library has failed."""
    if code < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def call_prctl(what: int, *values: int | bytes) -> int:
    """Make the system call; missing arguments are 0."""
    return int(LIBC.prctl(what, *values, *[0] * (4 - len(values))))


def _give_up() -> None:
    """Drop all capabilities for good, and restore the settings that the change of users reset."""
    number = 0
    while call_prctl(DROP_BOUNDING, number) >= 0:
        number += 1
    check_call(call_prctl(AMBIENT, CLEAR_ALL))
    check_call(LIBC.capset(CAPABILITIES, bytes(24)))
    check_call(call_prctl(NO_NEW_PRIVS, 1))
    check_call(call_prctl(DUMPABLE, 1))
    check_call(call_prctl(DEATH_SIGNAL, signal.SIGKILL))


def _install_filter(code: bytes) -> None:
    """Install the filter of system calls."""
    text = ctypes.create_string_buffer(code)
    check_call(
        call_prctl(SECCOMP, FILTER, struct.pack("HP", len(code) // INSTRUCTION, ctypes.addressof(text)))
    )


def _set_process_name(words: list[str]) -> None:
    """Set the process name to this command, in place of the fork server's, as far as there is room."""
    check_call(call_prctl(NAME, words[0].encode()))
    first = ctypes.c_void_p.in_dll(LIBC, "program_invocation_name").value or 0
    room = sum(len(os.fsencode(word)) + 1 for word in sys.orig_argv)
    text = b"\0".join(map(os.fsencode, words))[: room - 1]
    ctypes.memset(first, 0, room)
    ctypes.memmove(first, text, len(text))
