"""Shares of the bank that programs use, by variant and seats: for authors, before time becomes a fault.

It is summed up in a tally of constant size, so that a long ladder and a long match cost no more than a duel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from maumau.referee.block import BlockMeasurements, BlockOrder

WARNING: Final = 0.5  # of the bank: deals differ, and so do hosts
MOST_PERCENT: Final = 1000  # per cent of the bank, the largest value of a tally


class BankShare(msgspec.Struct, frozen=True):
    """Use of the bank per deal, in reference ms (`p99_ms`: 99 of 100 deals), and the host's pace."""

    rules: str
    seats: int
    deal_ms: int
    mean_ms: float
    p99_ms: float
    largest_ms: float
    pace: float

    @property
    def share(self) -> float:
        """The used part of the bank."""
        return self.mean_ms / self.deal_ms

    def __str__(self) -> str:
        return (
            f"{self.rules} at {self.seats} seats: {self.share:.0%} of the bank; reference ms a deal: "
            f"{self.mean_ms:.1f} of {self.deal_ms}, 99 of 100 deals up to {self.p99_ms:.1f}, "
            f"the largest {self.largest_ms:.1f}; pace of the host {self.pace:.2f}"
        )


class BankTally(msgspec.Struct, omit_defaults=True):
    """Use of banks of `deal_ms`, in reference ms; `pace_sum` sums up the host's pace at each deal.

    `percents` counts the deals by the percent of the bank that they used, rounded up, so that the bound of 99
    of 100 deals is known to the percent, for any number of deals.
    """

    deal_ms: int = 0
    deals: int = 0
    total_ms: float = 0.0
    largest_ms: float = 0.0
    pace_sum: float = 0.0
    percents: dict[int, int] = {}

    def add_deals(self, deals_ms: Sequence[float], deal_ms: int, pace: float) -> None:
        """Count the deals of a block."""
        if not deals_ms:
            return
        self.deal_ms = deal_ms
        self.deals += len(deals_ms)
        self.total_ms += sum(deals_ms)
        self.largest_ms = max(self.largest_ms, *deals_ms)
        self.pace_sum += pace * len(deals_ms)
        for used in deals_ms:
            self._count_deals(math.ceil(min(MOST_PERCENT, max(0, 100 * used / deal_ms))), 1)

    def add(self, other: BankTally) -> None:
        """Add another tally."""
        self.deal_ms = other.deal_ms or self.deal_ms
        self.deals += other.deals
        self.total_ms += other.total_ms
        self.largest_ms = max(self.largest_ms, other.largest_ms)
        self.pace_sum += other.pace_sum
        for percent, deals in other.percents.items():
            self._count_deals(percent, deals)

    def share(self, rules: str, seats: int) -> BankShare | None:
        """Return the share of the bank; None if no deal was played."""
        if not self.deals:
            return None
        mean, pace = self.total_ms / self.deals, self.pace_sum / self.deals
        p99 = min(self.largest_ms, self._p99_percent() * self.deal_ms / 100)
        figures = (round(figure, 2) for figure in (mean, p99, self.largest_ms, pace))
        return BankShare(rules, seats, self.deal_ms, *figures)

    def _count_deals(self, percent: int, deals: int) -> None:
        self.percents[percent] = self.percents.get(percent, 0) + deals

    def _p99_percent(self) -> int:
        left = self.deals // 100  # deals that may have used more
        for percent in sorted(self.percents, reverse=True):
            left -= self.percents[percent]
            if left < 0:
                return percent
        return 0


def tally_block(measured: BlockMeasurements, entrant: int) -> BankTally:
    """Return the tally of one entrant's deals of a block."""
    tally = BankTally()
    tally.add_deals(measured.uses[entrant].deals_ms, measured.deal_ms, measured.pace.mean)
    return tally


def bank_share(order: BlockOrder, measured: BlockMeasurements, entrant: int = 0) -> BankShare | None:
    """Return the share of one entrant; None if it has played no deal."""
    return tally_block(measured, entrant).share(order.rules, order.seats)


def say_share(name: str, share: BankShare | None) -> Iterator[str]:
    """Yield a line about one of several bots, with a warning if due; nothing if nothing was measured."""
    if share is None:
        return
    p99, largest = share.p99_ms / share.deal_ms, share.largest_ms / share.deal_ms
    yield (
        f"bank: {name} used {share.share:.0%} on average, up to {p99:.0%} in 99 of 100 deals, "
        f"{largest:.0%} at most ({share.rules}, {share.seats} seats; host pace {share.pace:.2f})"
    )
    if warning := warn_of_share([share], name):
        yield warning


def warn_of_share(shares: list[BankShare], name: str = "it") -> str:
    """Return a sentence about the largest share, if it is half of the bank or more; else an empty string."""
    largest = max(shares, key=lambda each: each.share, default=None)
    if largest is None or largest.share < WARNING:
        return ""
    return (
        f"warning: {name} used {largest.share:.0%} of its bank in {largest.rules} at {largest.seats} seats, "
        f"{largest.mean_ms:.0f} of {largest.deal_ms} reference ms a deal; a spent bank is a fault"
    )
