"""How the command begins: a signal that comes before it can be handled ends it without a traceback.

It imports as little as possible, because nothing handles Ctrl-C before it has been imported.
"""

from __future__ import annotations

import gc
import signal
import sys


def main(arguments: list[str] | None = None) -> None:
    """The entry point `maumau`: runs one command and exits with its code."""
    try:
        if arguments is None:  # the process is this command's alone
            with Importing():
                import maumau.cli.command  # noqa: F401
            if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # a shell's background job ignores it
                signal.signal(signal.SIGINT, signal.default_int_handler)
        from maumau.cli.command import run_command

        code = run_command(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        code = 130
    sys.exit(code)


class Importing:
    """From here on Ctrl-C ends the process as any other signal does, until there is another handler for it.

    What is imported inside stays: it is no garbage, and looking for some would be a fifth of the time.
    """

    def __enter__(self) -> None:
        gc.disable()
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # `hold` in the program before this one

    def __exit__(self, *failed: object) -> None:
        if any(failed):
            return
        build_types()
        gc.freeze()
        gc.enable()


def build_types() -> None:
    """Let msgspec find out now how each Struct that has been imported is decoded.

    It does so when one is first decoded, and a second thread that decodes the same one meanwhile crashes the
    process (docs/decisions/0087-decoding-in-threads.md).
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
