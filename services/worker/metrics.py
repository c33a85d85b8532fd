"""Metrics of a worker. The child counts in memory shared with the parent, which serves the page.

A prefork pool forks after this is built, so both see the same numbers; only one child works at a time.
"""

from collections.abc import Iterator
from multiprocessing.sharedctypes import RawArray
from typing import Any

from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from maumau.protocol.fault import KINDS

PREFIX = "maumau_worker_"
OUTCOMES = ("done", "refused", "dropped", "lost", "failed", "unable", "given back", "unreachable")
SEATS = ("played", "void", "refused", "lost", "failed")
FAMILIES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "blocks": ("Blocks by outcome.", "outcome", OUTCOMES),
    "validations": ("Validations by outcome.", "outcome", OUTCOMES),
    "seats": ("Seats of live tables by outcome.", "outcome", SEATS),
    "tests": ("Self-tests after consecutive failures, by result.", "result", ("passed", "failed")),
    "bot_faults": ("Deals lost by bots, by kind.", "kind", KINDS),
    "decisions": ("Decisions requested from bots.", "", ("",)),
    "play_seconds": ("Time spent playing.", "", ("",)),
    "start_seconds": ("Time spent starting sandboxes.", "", ("",)),
    "fetch_seconds": ("Time spent fetching programs.", "", ("",)),
}


class CounterTally(Collector):
    """Counters in shared memory, each with a fixed set of labels."""

    def __init__(self) -> None:
        self.cells = {name: RawArray("d", len(labels)) for name, (_, _, labels) in FAMILIES.items()}

    def add(self, name: str, amount: float = 1.0, label: str = "") -> None:
        labels = FAMILIES[name][2]
        self.cells[name][labels.index(label)] += amount

    def get(self, name: str, label: str = "") -> float:
        return float(self.cells[name][FAMILIES[name][2].index(label)])

    def describe(self) -> list[Any]:
        return []

    def collect(self) -> Iterator[CounterMetricFamily]:
        for name, (words, title, labels) in FAMILIES.items():
            family = CounterMetricFamily(PREFIX + name, words, labels=[title] if title else [])
            for label in labels:
                family.add_metric([label] if title else [], self.get(name, label))
            yield family
