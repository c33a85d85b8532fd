"""Ids that sort by the time they were made: a prefix, 48 bits of milliseconds, 80 random bits."""

import secrets
import time

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u


def new_id(kind: str) -> str:
    """For `bot`: `bot_` and 26 characters."""
    number = time.time_ns() // 1_000_000 << 80 | secrets.randbits(80)
    return f"{kind}_" + "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
