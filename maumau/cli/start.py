"""How the command begins: a signal that comes before it can be handled ends it without a traceback.

It imports as little as possible, because nothing handles Ctrl-C before it has been imported.
"""

from __future__ import annotations

import gc
import signal


def main() -> None:
    """The entry point `maumau`."""
    with Importing():
        from maumau.cli import __main__ as command
    command.main()


class Importing:
    """While modules are imported, Ctrl-C ends the process as any other signal does.

    What is imported stays: it is no garbage, and looking for some would be a fifth of the time.
    """

    def __enter__(self) -> None:
        gc.disable()
        self._heard = signal.getsignal(signal.SIGINT)
        if self._heard is signal.default_int_handler:  # a shell's background job ignores it
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # `hold` in the program before this one

    def __exit__(self, *failed: object) -> None:
        if any(failed):
            return
        signal.signal(signal.SIGINT, self._heard)
        gc.freeze()
        gc.enable()


def hold() -> None:
    """Keep Ctrl-C waiting for the program that takes this one's place, until that can handle it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
