"""The refusal of what works on Linux only, with the way to have it on other systems."""

from __future__ import annotations

import sys
from typing import Final

from maumau.errors import LinuxOnly

INSTEAD: Final = {
    "win32": "Windows: type this in WSL 2, which `wsl --install` sets up",
    "darwin": "macOS: type this on a Linux machine, or in a Docker container that has Python",
}
"""Names of other systems by `sys.platform`, each with what to do there."""


def require_linux(what: str) -> None:
    """Raise LinuxOnly on other systems.

    Args:
        what: The subject of the sentence, in the plural, such as "Bots".
    """
    if sys.platform != "linux":
        where = INSTEAD.get(sys.platform, f"{sys.platform}: type this on a Linux machine")
        raise LinuxOnly(f"{what} run on Linux only, and this is {where}.")
