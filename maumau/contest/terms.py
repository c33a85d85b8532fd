"""The terms of a contest that is not a tournament: a ladder, practice, an audit.

Its root is SHA-256 over the canonical JSON (keys sorted, no spaces, UTF-8) of the terms with the hash of the
rules (`rules_hash`) and the version of the root. A deal's seed is made of secret, root, label of the job and
number of the set, as in a tournament (`seed.py`).
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from maumau import game
from maumau.contest import strict
from maumau.contest.score import MOST_SEATS, SEATINGS
from maumau.contest.seed import VERSION
from maumau.contest.spec.part import BotLimits
from maumau.contest.spec.spec import Option, check_rules
from maumau.errors import BadSpec


class Terms(msgspec.Struct, frozen=True):
    """Equal terms mean equal contests. `author` asked for it."""

    purpose: Literal["practice", "ladder", "audit"]
    author: Annotated[str, Meta(min_length=1, max_length=64)]
    rules: str
    options: dict[str, Option] = {}
    variant_toml: str = ""
    seats: int = 2
    score: Literal["win", "places", "points"] = "win"
    bot: BotLimits = BotLimits()

    def load_rules(self) -> game.Rules:
        """Return the rules that are played."""
        return game.load_any(self.rules, self.variant_toml, **self.options)

    def hash_root(self, version: int = VERSION) -> str:
        """64 hex digits."""
        bound = msgspec.to_builtins(self) | {"rules_hash": self.load_rules().hash, "version": version}
        return hashlib.sha256(msgspec.json.encode(bound, order="sorted")).hexdigest()


def build_terms(table: dict[str, Any]) -> Terms:
    """Build terms from a table with their fields; raise `BadSpec`, or the game's own error, if invalid.

    Options that have their default values are left out.
    """
    terms = strict.convert_table(Terms, table)
    if not SEATINGS <= terms.seats <= MOST_SEATS:
        raise BadSpec(f"seats: {terms.seats} is not {SEATINGS} to {MOST_SEATS}.", field="seats")
    options = check_rules(terms.rules, terms.options, terms.variant_toml, terms.seats)
    return msgspec.structs.replace(terms, options=options)
