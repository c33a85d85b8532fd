"""The hook by which Python finds compiled modules; `import maumau` installs it.

It imports next to nothing: nothing handles Ctrl-C yet when a command begins with it (maumau.cli.start).
"""

from __future__ import annotations

import sys

STARTS = ("maumau.game.", "maumau.protocol.", "maumau.referee.", "maumau.sandbox.", "maumau__mypyc")
"""The prefix of the names of compiled modules."""


class Finder:
    """Asks maumau.engine.choice about the first module that may be compiled, and about all later ones."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        """Implement Python's protocol: return the module's place, or None to let others look."""
        del target
        if not name.startswith(STARTS):
            return None
        from maumau.engine.choice import CHOICE

        return CHOICE.find_spec(name, path)


def install() -> None:
    """Have Python ask the finder first."""
    if not any(isinstance(each, Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]  # its types would have to be imported
