"""The start of the command: a signal that comes before it can be handled ends it without a traceback.

It imports only what is built into the interpreter, because nothing handles Ctrl-C before it has been
imported: `signal` would import `enum` and a dozen other modules, a fifth of a second on a busy host.
"""

from __future__ import annotations

import _signal as signal
import sys


def main(arguments: list[str] | None = None) -> None:
    """Run one command, as the entry point `maumau`, and exit with its code."""
    try:
        if arguments is None:  # the process is this command's alone
            from maumau.process.importing import Importing

            with Importing():
                import maumau.cli.command  # noqa: F401
            if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # a shell's background job ignores it
                signal.signal(signal.SIGINT, signal.default_int_handler)
        from maumau.cli.command import run_command

        code = run_command(arguments)
    except KeyboardInterrupt:
        if arguments is None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # all is done; another one ends it at once
        sys.stderr.write("interrupted\n")
        code = 130
    sys.exit(code)
