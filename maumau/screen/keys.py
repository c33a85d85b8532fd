"""Keys as they are pressed in a terminal, none of them lost while something is drawn."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

KEY_SECONDS = 0.02  # between two looks at the keyboard of Windows
KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|.", re.DOTALL)


def forget_keys() -> None:
    """Drop what was typed and not read yet."""
    try:
        import termios
    except ImportError:  # Windows
        return
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def wait_for_key(seconds: float) -> bool:
    """Wait for a key at most so long; return True if one was pressed, or the input has ended."""
    try:
        import msvcrt
    except ImportError:  # not Windows, where one waits for sockets and pipes only
        from multiprocessing import connection

        return bool(connection.wait([sys.stdin.fileno()], seconds))
    last = time.monotonic() + seconds
    while not msvcrt.kbhit():  # type: ignore[attr-defined]
        if time.monotonic() > last:
            return False
        time.sleep(KEY_SECONDS)
    return True


@contextmanager
def pressed() -> Iterator[Callable[[], list[str]]]:
    """Yield a function that waits for keys and returns none at the end. An arrow is one key."""
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
