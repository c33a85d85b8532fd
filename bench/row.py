"""What a benchmark gives: lines of one table."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A number, what it should be at least (or at most, with `most`), and how it was made."""

    name: str
    value: float
    bound: float
    most: bool = False
    unit: str = ""
    how: str = ""

    @property
    def held(self) -> bool:
        """Whether the bound holds."""
        return self.value <= self.bound if self.most else self.value >= self.bound
