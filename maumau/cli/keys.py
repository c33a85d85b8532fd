"""Keys as they are pressed in a terminal, none of them lost while something is drawn."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|.", re.DOTALL)


@contextmanager
def pressed() -> Iterator[Callable[[], list[str]]]:
    """Gives a function that waits for keys; none when there will be no more. An arrow is one key."""
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield lambda: KEY.findall(typer.getchar())
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        yield lambda: KEY.findall(os.read(terminal, 1024).decode(errors="replace"))
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
