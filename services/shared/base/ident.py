"""Ids that sort by creation time: a prefix, 48 bits of milliseconds, 80 random bits."""

import secrets
import time

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
LENGTH = 26  # characters after the prefix


def new_id(kind: str) -> str:
    """Return a new id: for `bot`, `bot_` and 26 characters."""
    number = time.time_ns() // 1_000_000 << 80 | secrets.randbits(80)
    return f"{kind}_" + "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def is_ident(text: str, kind: str) -> bool:
    """Return True if the text is in the form that `new_id` gives to ids of this kind."""
    prefix, _, rest = text.partition("_")
    return prefix == kind and len(rest) == LENGTH and set(rest) <= set(ALPHABET)
