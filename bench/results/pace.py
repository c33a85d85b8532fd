"""The pace of the host beside which numbers are measured."""

from __future__ import annotations

import statistics

from maumau.referee.pace import REFERENCE
from maumau.referee.probe import run_probe

PROBES = 21


def measure_pace() -> float:
    """Return the host's present pace: the median of some probes."""
    return statistics.median(run_probe() for _ in range(PROBES)) / REFERENCE
