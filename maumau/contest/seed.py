"""The source of all randomness in a tournament, which nobody can choose and anybody can check.

1. The secret is a text of visible ASCII characters; a drawn one is 32 random bytes as 64 hex digits.
2. The commitment, published before the first entry, is SHA-256(secret).
3. The root, fixed when the entries close, is SHA-256 over the canonical JSON (keys sorted, no spaces, UTF-8)
   of {"entries": [[number, artifact's SHA-256, name] in the order of entry], "rules_hash": …, "spec": the
   spec as the export shows it, but its name, "version": 4, or 5 with whole games}. So it binds who plays,
   under which name, and what; the tournament's own name is left out, so that one can be played again beside
   the first. Where entrants committed themselves to nonces, the object has "nonces" too: [[number,
   commitment, nonce or ""] of each of those]; a commitment is SHA-256(nonce), a nonce 64 hex digits. Where
   the spec keeps bots of one account apart it has "accounts": [[number, account]], and where there are
   guests "guests": [number].
4. A deal's seed is HMAC-SHA256(key = secret, message = root, line feed, label of the match, line feed, number
   of the deal set in decimal, no line feed at the end). Where an organiser had the match retaken with fresh
   seeds, a line feed and the number of that take in decimal follow.

5. Where seeds are drawn, an entrant's lot is HMAC-SHA256(key = secret, message = root, line feed, "lot", line
   feed, its number). A stage is seeded by SHA-256(lot, a space, the stage's number), the smallest first.

Texts are taken as their ASCII bytes, decimal numbers have no leading zeros, hex digits are lower case,
results are 64 hex digits. All seatings of a deal set share its seed. Test vectors: docs/reference/verify.md.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from maumau.contest.entrant import Entrant

VERSION: Final = 4
"""The version of roots and exports of contests that begin now."""

BOOKINGS_ALONE: Final = 3
"""The version in whose chains only blocks have links; its contests end as they began."""

GAMES: Final = 5
"""The version of roots and exports of contests with whole games, which is else as VERSION."""

VERSIONS: Final = (BOOKINGS_ALONE, VERSION, GAMES)
"""The versions that can be verified."""


def new_secret() -> str:
    """Draw a secret: 64 hex digits."""
    return secrets.token_hex(32)


def compute_commitment(secret: str) -> str:
    """Return the SHA-256 of the secret or of an entrant's nonce, 64 hex digits: published before play."""
    return hashlib.sha256(secret.encode()).hexdigest()


def contest_root(
    spec: Mapping[str, Any], rules_hash: str, entrants: Iterable[Entrant], version: int = VERSION
) -> str:
    """Return the hash of rules and entrants, in the order of entry: 64 hex digits. spec: `Spec.shown`."""
    field = list(entrants)
    entries = [[entrant.number, entrant.sha256, entrant.name] for entrant in field]
    nonces = [[one.number, one.commitment, one.nonce] for one in field if one.commitment]
    nameless = {key: value for key, value in spec.items() if key != "name"}
    more = {
        "nonces": nonces,
        "accounts": [[entrant.number, entrant.account] for entrant in field if entrant.account],
        "guests": [entrant.number for entrant in field if entrant.guest],
    }
    given = {key: value for key, value in more.items() if value}
    bound = {"entries": entries, "rules_hash": rules_hash, "spec": nameless, "version": version, **given}
    return hashlib.sha256(msgspec.json.encode(bound, order="sorted")).hexdigest()


def draw_lot(secret: str, root: str, number: int) -> str:
    """Return the lot of an entrant, 64 hex digits."""
    return hmac.new(secret.encode(), f"{root}\nlot\n{number}".encode(), "sha256").hexdigest()


def deal_seed(secret: str, root: str, label: str, number: int, seed_take: int = 0) -> str:
    """Return the seed of deal set `number` (from 0) of the match `label`, 64 hex digits.

    seed_take: the take of the match that was the last to have fresh seeds; 0 if none was.
    """
    return deal_seeds(secret, root, label, (number,), seed_take)[0]


def deal_seeds(secret: str, root: str, label: str, numbers: Iterable[int], seed_take: int = 0) -> list[str]:
    """Return the seeds of several deal sets of a match, in the order of their numbers.

    The key and the messages' common prefix are hashed once. `hmac.digest` would release the GIL for each
    seed and, while other threads compute, wait to reacquire it.
    """
    keyed = hmac.new(secret.encode(), f"{root}\n{label}\n".encode(), "sha256")
    end = f"\n{seed_take}" if seed_take else ""
    return [_finish_digest(keyed.copy(), f"{number}{end}") for number in numbers]


def _finish_digest(keyed: hmac.HMAC, rest: str) -> str:
    keyed.update(rest.encode())
    return keyed.hexdigest()
