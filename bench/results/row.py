"""Results of benchmarks: rows of one table."""

from __future__ import annotations

from typing import NamedTuple


class ResultRow(NamedTuple):
    """A number, the bound that it must meet (a minimum, or with `most` a maximum), and its details.

    Without a unit it is a ratio of two measurements within the same minute. `pace`: the host's pace when it
    was measured, without which absolute numbers mean little (docs/explanation/time.md).
    """

    name: str
    value: float
    bound: float
    most: bool = False
    unit: str = ""
    how: str = ""
    pace: float = 1.0

    @property
    def held(self) -> bool:
        """True if the bound holds."""
        return self.value <= self.bound if self.most else self.value >= self.bound
