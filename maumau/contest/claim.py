"""What may be said of who won a match: the one place where "better" and "leads" are told apart."""

from __future__ import annotations

from typing import Literal

Claim = Literal["", "leads", "better"]

UNPLAYED = ("walkover", "seed")
"""Rules by which a match is won without a lead in its deals."""


def claim_of(*, won_by_first: bool | None, rule: str, low: float, high: float) -> Claim:
    """Of the winner, None if nobody won, by the 95 % interval of the first's score.

    Better only if the interval excludes one half; who is only decided to be ahead leads.
    """
    if won_by_first is None or rule in UNPLAYED:
        return ""
    return "better" if (low > 0.5 if won_by_first else high < 0.5) else "leads"
