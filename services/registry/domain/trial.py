"""Trials: validations of a version in variants that were made for one contest. Pure.

waiting → playing → passed
   ↑         │  └──→ refused
   │         └─────→ stalled → waiting (asked for again)
   └─────────┘ (given back by a worker that stops)
"""

from typing import Final

import msgspec

TRIAL_STATES: Final = ("waiting", "playing", "passed", "refused", "stalled")


class TrialVariant(msgspec.Struct, frozen=True):
    """A variant, by name and text."""

    name: str
    text: str


class TrialTerms(msgspec.Struct, frozen=True):
    """Variants to play, each at each number of seats, and limits of the program. memory: MiB."""

    variants: list[TrialVariant]
    seats: list[int]
    deal_ms: int
    memory: int


def write_terms(terms: TrialTerms) -> str:
    """Return the terms as they are stored."""
    return msgspec.json.encode(terms).decode()


def read_terms(text: str) -> TrialTerms:
    """Return stored terms."""
    return msgspec.json.decode(text, type=TrialTerms)
