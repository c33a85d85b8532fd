"""The claim about a match's winner: the one place that tells "better" and "leads" apart."""

from __future__ import annotations

from typing import Literal, get_args

Claim = Literal["", "leads", "better", "walkover"]
"""The word of an export for a winner; `claim_of` tells only the first three, which are about deals."""

WalkoverRule = Literal["withdrawn", "disqualified"]
WALKOVER_RULES: tuple[WalkoverRule, ...] = get_args(WalkoverRule)
"""Rules by which a match is won because the other entrant has gone."""

UNPLAYED = (*WALKOVER_RULES, "seed")
"""Rules by which a match is won without a lead in its deals."""


def claim_of(*, won_by_first: bool | None, rule: str, low: float, high: float) -> Claim:
    """Return the claim about the winner, by the 95 % interval of the first's score; none if nobody won.

    A winner is better only if the interval excludes one half; otherwise it leads.
    """
    if won_by_first is None or rule in UNPLAYED:
        return ""
    return "better" if (low > 0.5 if won_by_first else high < 0.5) else "leads"
