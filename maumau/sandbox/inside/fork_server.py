"""The fork server: a clean interpreter that has imported the SDK and forks for its referee.

A fork waits for an order, and forks again inside the program's sandbox: the second one becomes the program,
and the first, its keeper, reports its end. The fork server itself reads neither orders nor ends, so that each
program begins with the same memory, independent of others. It ends when its referee is gone.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import sys
from contextlib import suppress

import msgspec

from maumau.bot import Bot
from maumau.bot.sdk import Player
from maumau.sandbox.inside import entry
from maumau.sandbox.inside.order import MAX_ORDER, SPACES, Born, ForkOrder, ForkUse

ORDER = msgspec.json.Decoder(ForkOrder)
OWN_REFERENCES = 2
"""The most references that `sys.getrefcount` counts to an object that a single variable holds."""


def main(number: int) -> None:
    """Serve on this socket; a fork continues as the program."""
    entry.check_call(entry.call_prctl(entry.DUMPABLE, 0))
    with suppress(PermissionError):  # users without rights cannot change groups, and need not
        os.setgroups([])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for keepers
    Player(Bot)  # build the message decoders once
    gc.collect()
    gc.freeze()
    os.write(number, msgspec.json.encode(Born(os.getpid())))
    words = _fork_one(number, _serve_forks())
    entry.wait_for_release()
    raise SystemExit(entry.run_program(words))


def _serve_forks() -> int:
    """Fork repeatedly, each time after the last fork has its order; in a fork return where to report."""
    while True:
        taken, take = os.pipe()
        if _fork_keeper():
            os.close(taken)
            return take
        os.close(take)
        if not os.read(taken, 1):
            os._exit(0)
        os.close(taken)


def _fork_keeper() -> bool:
    """Fork a keeper; return True in it.

    Overwrite its PID: later forks would find it in their memory, and whoever starts processes moves the next
    PID of the host. Small numbers, which the whole interpreter shares, stay: Python 3.11 shares
    those up to 256, Python 3.15 those up to 1,024.
    """
    number = os.fork()
    is_keeper = number == 0
    if sys.getrefcount(number) <= OWN_REFERENCES:
        digits = int.__basicsize__
        ctypes.memset(id(number) + digits, 0, sys.getsizeof(number) - digits)
    return is_keeper


def _fork_one(number: int, take: int) -> list[str]:
    """Take an order and fork into its sandbox; in the new program return the words of its command."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with socket.socket(fileno=number) as line:
        data, held, _, _ = socket.recv_fds(line, MAX_ORDER, len(SPACES) + 5)
    if not data:
        os._exit(0)
    os.write(take, b".")
    order = ORDER.decode(data)
    (births, *spaces), pipes, (wall, report) = held[: len(SPACES)], held[-5:-2], held[-2:]
    entry.check_call(entry.LIBC.setns(births, 0))  # where its fork is born; this process stays where it is
    pid = os.fork()
    if pid:
        for descriptor in (take, births, *spaces, *pipes):
            os.close(descriptor)
        _wait_for_program(pid, wall, report)
    entry.enter_wall(order, spaces, pipes)
    return order.words


def _wait_for_program(pid: int, wall: int, report: int) -> None:
    """Wait for the program; its children end with it, when the first process of its namespace ends."""
    _report_error(report, Born(pid))
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    _report_error(
        report, ForkUse(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, code if code >= 0 else 128 - code)
    )
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(wall, signal.SIGKILL)
    os._exit(0)


def _report_error(report: int, words: Born | ForkUse) -> None:
    with suppress(BrokenPipeError):  # the referee has lost interest
        os.write(report, msgspec.json.encode(words))
