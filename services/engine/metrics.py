"""What the engine service counts."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

PREFIX = "maumau_engine_"


class Metrics:
    """Labels come from closed sets."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, words: str, *labels: str) -> Counter:
            return Counter(PREFIX + name, words, labels, registry=registry)

        self.folds = counter("folds_total", "Deals folded for callers, by outcome.", "outcome")
        self.decisions = counter("folded_decisions_total", "Actions in deals folded for callers.")
        self.records = counter("records_checked_total", "Records checked for callers, by outcome.", "outcome")
        self.tables = Gauge(PREFIX + "tables", "Tables by state.", ["state"], registry=registry)
        self.actions = counter("actions_total", "Replies at tables, by outcome.", "outcome")
        self.seconds = Histogram(
            PREFIX + "action_seconds", "From a reply's arrival until it is in the log.", registry=registry
        )
        self.refolds = counter("refolds_total", "Tables folded from the beginning of their log.")
        self.flags = counter("flags_total", "Seats whose time was over.")
