"""How the command begins: a signal that comes before it can be handled ends it without a traceback."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from contextlib import contextmanager


def main() -> None:
    """The entry point `maumau`."""
    with importing():
        from maumau.cli import __main__ as command
    command.main()


@contextmanager
def importing() -> Iterator[None]:
    """While modules are imported, Ctrl-C ends the process as any other signal does.

    What is imported stays: it is no garbage, and looking for some would be a fifth of the time.
    """
    gc.disable()
    heard = signal.getsignal(signal.SIGINT)
    if heard is signal.default_int_handler:  # a shell's background job ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # `hold` in the program before this one
    yield
    signal.signal(signal.SIGINT, heard)
    gc.freeze()
    gc.enable()


def hold() -> None:
    """Keep Ctrl-C waiting for the program that takes this one's place, until that can handle it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
