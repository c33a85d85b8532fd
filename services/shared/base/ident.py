"""Ids that sort by creation time: a prefix, 48 bits of milliseconds, 80 random bits.

Those of one process sort as they were made, also within a millisecond: what is queued first is played first.
"""

import secrets
import threading
import time

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
LENGTH = 26  # characters after the prefix
STEP_BITS = 64  # of the random distance between two ids of one millisecond


class Numbers:
    """Numbers of ids, rising; safe for threads."""

    def __init__(self) -> None:
        self._last, self._guard = 0, threading.Lock()

    def draw(self) -> int:
        """Return the next number."""
        fresh = time.time_ns() // 1_000_000 << 80 | secrets.randbits(80)
        with self._guard:
            is_later = fresh >> 80 > self._last >> 80
            self._last = fresh if is_later else self._last + 1 + secrets.randbits(STEP_BITS)
            return self._last


NUMBERS = Numbers()


def new_id(kind: str) -> str:
    """Return a new id: for `bot`, `bot_` and 26 characters."""
    number = NUMBERS.draw()
    return f"{kind}_" + "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def is_ident(text: str, kind: str) -> bool:
    """Return True if the text is in the form that `new_id` gives to ids of this kind."""
    prefix, _, rest = text.partition("_")
    return prefix == kind and len(rest) == LENGTH and set(rest) <= set(ALPHABET)
