"""What the matchmaking service counts."""

from prometheus_client import CollectorRegistry, Counter, Histogram

PREFIX = "maumau_matchmaking_"
WAITS = (1, 3, 10, 30, 60, 120, 300, 600, 1800, 3600)
COSTS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)


class Metrics:
    """Labels come from closed sets: kinds of pairings."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.pairings = Counter(
            PREFIX + "pairings_total", "Pairings made, by kind.", ["kind"], registry=registry
        )
        self.results = Counter(PREFIX + "results_total", "Results of ladders kept.", registry=registry)
        self.waited = Histogram(
            PREFIX + "wait_seconds",
            "What a bot waited since its last pairing.",
            buckets=WAITS,
            registry=registry,
        )
        self.pairing = Histogram(
            PREFIX + "pairing_seconds", "Making a batch of pairings.", buckets=COSTS, registry=registry
        )
        self.refit = Histogram(
            PREFIX + "refit_seconds", "Fitting the ratings of a ladder.", buckets=COSTS, registry=registry
        )
