"""What the engine service counts."""

from prometheus_client import CollectorRegistry, Counter

PREFIX = "maumau_engine_"


class Metrics:
    """Labels come from closed sets."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, words: str, *labels: str) -> Counter:
            return Counter(PREFIX + name, words, labels, registry=registry)

        self.folds = counter("folds_total", "Deals folded for callers, by outcome.", "outcome")
        self.decisions = counter("folded_decisions_total", "Actions in deals folded for callers.")
        self.records = counter("records_checked_total", "Records checked for callers, by outcome.", "outcome")
