"""An entrant's program, and its place at a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from maumau.protocol.manifest import Manifest


class Program(msgspec.Struct, frozen=True):
    """An entrant's program: its folder, manifest, content hash and name.

    `broken` is the reason why it cannot be started, such as a build step that failed in play: each start is
    its fault. `built`: the folder has the result of its build step.
    """

    folder: Path
    manifest: Manifest
    sha256: str
    name: str
    broken: str = ""
    built: bool = False


class SeatPlace(msgspec.Struct, frozen=True):
    """A seat's entrant, by number, its seating, and the function that writes hello for a bank.

    Without a program it is the referee itself that plays here, at random.
    """

    program: Program | None
    entrant: int
    seating: int
    hello: Callable[[float], bytes]
