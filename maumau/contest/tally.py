"""The count of a match to a number of won sets: whoever has that many first has won it.

A set is won by the bot that is ahead in it, and by nobody if both are level. The match ends with the block in
which the count is reached. Its remaining sets count for scores and ratings; the winner stands already.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from maumau.contest.match_rule import MatchRule
from maumau.contest.score import BlockSums


class Tally(NamedTuple):
    """Sets won by the first and by the second. reached: after how many sets one had enough, 0 before."""

    first: int = 0
    second: int = 0
    reached: int = 0


NO_WINS: Final = Tally()


def count_wins(tally: Tally, match: MatchRule, block: BlockSums, played: int) -> Tally:
    """Return the count after a block. played: the sets before it. Other kinds of match count nothing."""
    if match.wins is None or tally.reached:
        return tally
    first, second, _ = tally
    for number, lead in enumerate(block.leads, start=played + 1):
        first, second = first + (lead > 0), second + (lead < 0)
        if max(first, second) >= match.wins:
            return Tally(first, second, number)
    return Tally(first, second)
