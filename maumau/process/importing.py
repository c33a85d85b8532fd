"""The start of a process: its modules are imported before it handles signals and has threads.

This one imports only what is built into the interpreter, because nothing handles Ctrl-C before it.
"""

from __future__ import annotations

import _signal as signal
import gc
import sys


class Importing:
    """From here on Ctrl-C ends the process as any other signal does, until there is another handler for it.

    Imported modules are permanent, so that garbage collection would waste a fifth of the time.
    """

    def __enter__(self) -> None:
        gc.disable()
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        if sys.platform != "win32":  # `hold` in the program before this one
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def __exit__(self, *failed: object) -> None:
        if any(failed):
            return
        build_types()
        gc.freeze()
        gc.enable()


def build_types() -> None:
    """Let msgspec find out now how each Struct that has been imported is decoded.

    It does so when one is first decoded, and a second thread that decodes the same one meanwhile crashes the
    process: the class already points at what the first thread still fills (msgspec 0.22). So a module that is
    imported later must have no Struct that two threads decode.
    """
    if msgspec := sys.modules.get("msgspec"):
        kinds = msgspec.Struct.__subclasses__()
        while kinds:
            kind = kinds.pop()
            msgspec.json.Decoder(kind)
            kinds += kind.__subclasses__()


def hold() -> None:
    """Keep Ctrl-C waiting for the program that takes this one's place, until that can handle it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
