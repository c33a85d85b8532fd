"""The fork server: a clean interpreter that has imported the SDK and forks for its referee.

A fork waits for an order, and forks once more behind the program's wall: that one becomes the program, and
the first, its keeper, reports its end. The fork server itself reads nothing, neither orders nor ends: each
program begins with the same memory, whatever others have done. It ends when its referee is gone.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
from contextlib import suppress

import msgspec

from maumau.bot import Bot, entry
from maumau.bot.order import MAX_ORDER, SPACES, Born, Order, Used
from maumau.bot.sdk import Player

ORDER = msgspec.json.Decoder(Order)


def main(number: int) -> None:
    """Serve on this socket; a fork goes on as the program."""
    entry.check_call(entry.call_prctl(entry.DUMPABLE, 0))
    with suppress(PermissionError):  # where there is no other user nor group there are none to leave
        os.setgroups([])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for keepers
    Player(Bot)  # what reads the messages is made once
    gc.collect()
    gc.freeze()
    os.write(number, msgspec.json.encode(Born(os.getpid())))
    words = _fork_one(number, _serve_forks())
    entry.wait_for_release()
    raise SystemExit(entry.run_program(words))


def _serve_forks() -> int:
    """Fork again and again, each time when the last fork has its order; in a fork: where to say that."""
    while True:
        taken, take = os.pipe()
        if os.fork() == 0:
            os.close(taken)
            return take
        os.close(take)
        if not os.read(taken, 1):
            os._exit(0)
        os.close(taken)


def _fork_one(number: int, take: int) -> list[str]:
    """Take an order and fork into its wall: there, in the program to be, the words of its command."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with socket.socket(fileno=number) as line:
        data, held, _, _ = socket.recv_fds(line, MAX_ORDER, len(SPACES) + 5)
    if not data:
        os._exit(0)
    os.write(take, b".")
    order = ORDER.decode(data)
    (births, *spaces), pipes, (wall, report) = held[: len(SPACES)], held[-5:-2], held[-2:]
    entry.check_call(entry.LIBC.setns(births, 0))  # where its fork is born; itself stays where it is
    pid = os.fork()
    if pid:
        for descriptor in (take, births, *spaces, *pipes):
            os.close(descriptor)
        _wait_for_program(pid, wall, report)
    entry.enter_wall(order, spaces, pipes)
    return order.words


def _wait_for_program(pid: int, wall: int, report: int) -> None:
    """Wait for the program; whatever it has started ends with it, by the end of its wall's first process."""
    _report(report, Born(pid))
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    _report(report, Used(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, code if code >= 0 else 128 - code))
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(wall, signal.SIGKILL)
    os._exit(0)


def _report(report: int, words: Born | Used) -> None:
    with suppress(BrokenPipeError):  # the referee has lost interest
        os.write(report, msgspec.json.encode(words))
