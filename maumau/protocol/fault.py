"""Faults of programs, with everything that their authors need to find the cause."""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

from maumau.protocol.crash import find_error
from maumau.protocol.words import clean_line, clean_text

Kind = Literal["illegal", "unreadable", "crash", "time", "wall", "output", "memory", "start", "forfeit"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
FORFEIT: Final = "forfeit"  # a deal lost unplayed, after the last fault of a seating
STALL: Final = "stall"  # a deal forfeited by all after too many decisions in a seating: no fault of any seat
MAX_FAULTS = 5  # the fifth fault of a seating loses every deal of it that is left
LINES = 20  # lines each way that a bundle shows
SHOWN = 2000  # bytes of a line in a bundle


class Fault(msgspec.Struct, frozen=True):
    """One fault: who (`entrant`, from 0), where (`seating` of the block, `deal`: its set), what (`kind`).

    `ask` is the last message it was asked, exactly; `lines` the last lines each way, `> ` to the program and
    `< ` from it; `stderr` the end of its log; `exit` how the process ended, empty if it lives. `overran`: it
    ran out of CPU time, for its deals or for starting. `used_ms` of `granted_ms` reference milliseconds it
    had used then, on a core of this `pace`. `killed`: SIGKILL ended it, which the referee did not send, and
    no limit of the program explains.
    """

    entrant: int
    seating: int
    deal: int
    kind: Kind
    words: str
    ask: str = ""
    lines: list[str] = []
    stderr: str = ""
    cpu_ms: float = 0.0
    wall_ms: float = 0.0
    memory_mib: float = 0.0
    exit: str = ""
    overran: bool = False
    used_ms: float = 0.0
    granted_ms: float = 0.0
    pace: float = 1.0
    killed: bool = False

    @property
    def is_provisional(self) -> bool:
        """True if it counts only if it happens again, since it may be the host's."""
        return self.overran or self.killed


def find_cause(fault: Fault) -> str:
    """Return the line of the log that says why the program ended, or an empty string while it lives."""
    return find_error(fault.stderr) if fault.exit else ""


class Misplay(Exception):
    """A program lost its deal; `dead`: its process cannot go on. The table makes a Fault of it.

    killed: as in `Fault`.
    """

    def __init__(self, kind: Kind, words: str, *, dead: bool = False, killed: bool = False) -> None:
        self.kind, self.words, self.dead, self.killed = kind, clean_line(words), dead, killed
        super().__init__(self.words)


def shorten_line(data: bytes, most: int = SHOWN) -> bytes:
    """Return a program's line for the record: its beginning, and its length if it was cut."""
    return data if len(data) <= most else data[:most] + f"… ({len(data):,} bytes)".encode()


def decode_text(data: bytes, most: int = SHOWN) -> str:
    """Return a program's bytes as text that can be stored anywhere: no NUL, only UTF-8, limited length."""
    return clean_text(shorten_line(data, most).decode(errors="replace"))
