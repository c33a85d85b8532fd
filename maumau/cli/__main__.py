"""`python -m maumau.cli COMMAND …`. All else is imported when Ctrl-C is already understood."""

import sys
from contextlib import nullcontext

from maumau.cli.start import Importing


def main(arguments: list[str] | None = None) -> None:
    """Runs one command and exits with its code."""
    try:
        with Importing() if arguments is None else nullcontext():
            from maumau.cli.command import run_command
        code = run_command(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
