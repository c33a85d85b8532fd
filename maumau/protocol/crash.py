"""The reason in the log of a program that ended: each language writes it in another place.

Python ends its log with the exception. Node.js, Go, Rust and Java write stack frames behind it, C++ writes
type and message on two lines, and bash names the line of the script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

BEFORE, AFTER = 4, 3
"""Lines of a log shown around the one that says why."""

_TRACEBACK = "Traceback (most recent call last)"
_THROWN = re.compile(r"terminate called after throwing an instance of '(.+)'")
_WHAT = re.compile(r"\s+what\(\):\s+(.*)")
_PANICKED = re.compile(r"thread '[^']*'(?: \(\d+\))? panicked at (.*)")
_PLAIN: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r'Exception in thread "[^"]*" (.+)',  # Java
        r"(panic: .+)",  # Go
        r"(fatal error: .+)",
        r"(FATAL ERROR: .+)",  # Node.js without memory
        r"(?:Uncaught )?((?:[\w.$]+\.)?[A-Z]\w*(?:Error|Exception|Rejection|Failure)(?: \[\w+\])?: .+)",
        r"((?:[A-Z]\w*)?Error: .+)",
        r"(\S+: line \d+: .+)",  # bash
        r"(.+: Assertion .+ failed\.)",  # C and C++
        r"(.*ERROR: \w+Sanitizer: .+)",
        r"(terminate called without .+)",
    )
)
_FRAME = re.compile(
    r"\s|Node\.js v|note: |exit status |goroutine \d|stack backtrace|Caused by: |\}$|\(Use `node"
)


def find_error(log: str) -> str:
    """Return the line of a log that says why the program ended: its last message, not a stack frame.

    Where no language is recognised this is the last line. An empty log gives an empty string.
    """
    place, words = _find_message(log.splitlines())
    return words if place >= 0 else _last_message(log)


def excerpt_log(log: str) -> list[str]:
    """Return the lines around the one that says why the program ended, or the last ones."""
    lines = log.rstrip().splitlines()
    place = _find_message(lines)[0]
    start = max(0, (place if place >= 0 else len(lines) - 1) - BEFORE)
    return lines[start : max(place + AFTER, start + BEFORE) + 1]


def _find_message(lines: Sequence[str]) -> tuple[int, str]:
    """Return the number and the words of the last message, or -1 and an empty string."""
    place, words, in_traceback = -1, "", False
    for number, line in enumerate(lines):
        if line.startswith(_TRACEBACK):
            in_traceback = True
        elif in_traceback and line.strip() and not line[0].isspace():
            place, words, in_traceback = number, line.strip(), False
        elif message := _read_message(line, lines[number + 1] if number + 1 < len(lines) else ""):
            place, words = number, message
    return place, words


def _read_message(line: str, following: str) -> str:
    """Return the message that begins on this line, or an empty string."""
    if thrown := _THROWN.match(line):
        what = _WHAT.match(following)
        return f"{thrown[1]}: {what[1]}" if what else thrown[1]
    if panicked := _PANICKED.match(line):
        return f"{panicked[1]} {following.strip()}" if panicked[1].endswith(":") else panicked[1]
    return next((found[1].strip() for pattern in _PLAIN if (found := pattern.match(line))), "")


def _last_message(log: str) -> str:
    """Return the last line that is not a stack frame, or the last line if all are."""
    lines = [line for line in log.splitlines() if line.strip()]
    messages = [line for line in lines if not _FRAME.match(line)]
    return (messages or lines or [""])[-1].strip()
