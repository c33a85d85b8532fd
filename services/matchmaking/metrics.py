"""Metrics of the matchmaking service."""

from typing import get_args

from prometheus_client import CollectorRegistry, Gauge, Histogram

from maumau.contest.ladder.pairing import Kind
from services.shared.base import metric

PREFIX = "maumau_matchmaking_"
WAITS = (1, 3, 10, 30, 60, 120, 300, 600, 1800, 3600)
SEEKS = ("begun", "seated", "house", "gone", "failed")
COSTS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)


class MatchmakingMetrics:
    """Metrics with labels from closed sets, such as kinds of pairings."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.pairings = metric.new_counter(
            registry, PREFIX + "pairings_total", "Pairings made, by kind.", "kind", get_args(Kind)
        )
        self.results = metric.new_counter(registry, PREFIX + "results_total", "Results of ladders kept.")
        self.waited = Histogram(
            PREFIX + "wait_seconds",
            "What a bot waited since its last pairing.",
            buckets=WAITS,
            registry=registry,
        )
        self.seek_seconds = Histogram(
            PREFIX + "seek_seconds", "What a seek waited for its seat.", buckets=WAITS, registry=registry
        )
        self.open_seeks = Gauge(PREFIX + "open_seeks", "Seeks that wait.", registry=registry)
        self.seekers = metric.new_counter(
            registry, PREFIX + "seeks_total", "Seeks by what became of them.", "outcome", SEEKS
        )
        self.live_results = metric.new_counter(
            registry,
            PREFIX + "live_results_total",
            "Results of live tables handed over.",
            "outcome",
            ("stored", "known"),
        )
        self.pairing = Histogram(
            PREFIX + "pairing_seconds", "Making a batch of pairings.", buckets=COSTS, registry=registry
        )
        self.refit = Histogram(
            PREFIX + "refit_seconds", "Fitting the ratings of a ladder.", buckets=COSTS, registry=registry
        )
