"""Metrics of the engine service."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from services.shared.base import metric

PREFIX = "maumau_engine_"
STATES, ENDS, REPORTS = ("waiting", "playing"), ("over", "void"), ("kept", "failed", "refused")
FOLDS, RECORDS, ACTIONS = ("done", "refused"), ("ok", "wrong"), ("taken", "refused")


class EngineMetrics:
    """Metrics with labels from closed sets."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def add_counter(name: str, words: str, outcomes: tuple[str, ...] = ()) -> Counter:
            label = "outcome" if outcomes else ""
            return metric.new_counter(registry, PREFIX + name, words, label, outcomes)

        self.folds = add_counter("folds_total", "Deals folded for callers, by outcome.", FOLDS)
        self.decisions = add_counter("folded_decisions_total", "Actions in deals folded for callers.")
        self.records = add_counter(
            "records_checked_total", "Records checked for callers, by outcome.", RECORDS
        )
        self.tables = Gauge(PREFIX + "tables", "Open tables by state.", ["state"], registry=registry)
        for state in STATES:
            self.tables.labels(state)
        self.ended = metric.new_counter(
            registry, PREFIX + "tables_ended_total", "Tables ended by this replica, by state.", "state", ENDS
        )
        self.reports = add_counter("reports_total", "Results handed to matchmaking, by outcome.", REPORTS)
        self.actions = add_counter("actions_total", "Replies at tables, by outcome.", ACTIONS)
        self.seconds = Histogram(
            PREFIX + "action_seconds", "From a reply's arrival until it is in the log.", registry=registry
        )
        self.refolds = add_counter("refolds_total", "Tables folded from the beginning of their log.")
        self.flags = add_counter("flags_total", "Seats whose time was over.")
