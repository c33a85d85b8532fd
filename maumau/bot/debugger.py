"""`breakpoint()` in a program whose stdin and stdout are the protocol's: pdb on the author's terminal.

`maumau reproduce --debug` starts programs in this environment; the arena never does.
"""

from __future__ import annotations

import inspect
import os
import pdb  # noqa: T100  # the purpose of this module
from pathlib import Path

TERMINAL = "MAUMAU_TERMINAL"


def get_environment(terminal: str) -> dict[str, str]:
    """Return environment variables that enable `breakpoint()`, or without a terminal disable it."""
    if not terminal:
        return {"PYTHONBREAKPOINT": "0"}
    return {"PYTHONBREAKPOINT": f"{__name__}.{stop_in_debugger.__name__}", TERMINAL: terminal}


def stop_in_debugger() -> None:
    """Start pdb at the caller of `breakpoint()`."""
    terminal = Path(os.environ[TERMINAL])
    keys, screen = terminal.open(), terminal.open("w", buffering=1)
    here = inspect.currentframe()
    pdb.Pdb(stdin=keys, stdout=screen).set_trace(here and here.f_back)
