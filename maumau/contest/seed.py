"""Where all chance of a tournament comes from, so that nobody can choose it and anybody can check it.

1. The secret is a text of visible ASCII characters; a drawn one is 32 random bytes as 64 hex digits.
2. The commitment, published before the first entry, is SHA-256(secret).
3. The entries' root, fixed when the entries close, is SHA-256 over one line for each entrant in the order of
   entry: its number in decimal, a space, its artifact's SHA-256 in hex, a line feed (0x0A).
4. A deal's seed is HMAC-SHA256(key = secret, message = root, line feed, label of the match, line feed, number
   of the deal set in decimal, no line feed at the end).

Texts are taken as their ASCII bytes, decimal numbers have no leading zeros, hex digits are lower case,
results are 64 hex digits. All seatings of a deal set share its seed. Test vectors: `docs/verify.md`.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable

from maumau.contest.entrant import Entrant


def new_secret() -> str:
    """Draw a secret: 64 hex digits."""
    return secrets.token_hex(32)


def commitment(secret: str) -> str:
    """SHA-256 of the secret, 64 hex digits: published before play."""
    return hashlib.sha256(secret.encode()).hexdigest()


def entries_root(entrants: Iterable[Entrant]) -> str:
    """SHA-256 over the numbers and artifact hashes in the order of entry, 64 hex digits."""
    lines = "".join(f"{entrant.number} {entrant.sha256}\n" for entrant in entrants)
    return hashlib.sha256(lines.encode()).hexdigest()


def deal_seed(secret: str, root: str, label: str, number: int) -> str:
    """The seed of deal set `number` (from 0) of the match `label`, 64 hex digits."""
    return hmac.new(secret.encode(), f"{root}\n{label}\n{number}".encode(), hashlib.sha256).hexdigest()
