"""Metrics of the tournament service; gauges of waiting work are read from the database on scrape."""

from collections.abc import Iterator
from functools import partial
from typing import Any, get_args

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from maumau.contest.format.match import Rule
from maumau.errors import MaumauError
from maumau.protocol.fault import KINDS
from services.shared.base import metric
from services.shared.base.clock import Clock
from services.shared.process import tasks
from services.shared.process.service_status import MAX_COUNTED
from services.tournament.models import AUDIT_OUTCOMES, BLOCK_STATES, ISOLATION_OUTCOMES
from services.tournament.store.blocks.worker import Workers
from services.tournament.store.broadcast.watch import Streams
from services.tournament.store.upkeep.census import Census

PREFIX = "maumau_tournament_"
OUTCOMES = (
    "done",
    "seating",
    "put off",
    "refused",
    "given back",
    "replaced",
    "unable",
    "failed",
    "stuck",
    "expired",
    "released",
    "void",
)
FILE_OUTCOMES = ("written", "failed", "lost")
CALLS = ("renew", "show", "submit")
RULES = tuple(rule for rule in get_args(Rule) if rule)
SERVICE_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
PLAY_BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0)
"""Upper bounds in seconds: of the service's own work, and of play."""


def _new_counter(
    registry: CollectorRegistry, name: str, words: str, label: str = "", values: tuple[str, ...] = ()
) -> Counter:
    return metric.new_counter(registry, PREFIX + name, words, label, values)


def _new_histogram(
    registry: CollectorRegistry, name: str, words: str, bounds: tuple[float, ...]
) -> Histogram:
    return Histogram(PREFIX + name, words, buckets=bounds, registry=registry)


class TournamentMetrics:
    """Metrics with labels from closed sets: states, outcomes, kinds and rules."""

    def __init__(self, registry: CollectorRegistry) -> None:
        counter, histogram = partial(_new_counter, registry), partial(_new_histogram, registry)
        self.blocks = counter("blocks_total", "Leases ended, by outcome.", "outcome", OUTCOMES)
        self.duplicates = counter(
            "duplicate_claims_total", "Claims refused, by the block's state.", "state", BLOCK_STATES
        )
        self.stale = counter("stale_fences_total", "Calls with a lease that is over.", "call", CALLS)
        self.decisions = counter("decisions_total", "Decisions of bots in stored blocks.")
        self.deals = counter("deals_total", "Deals in stored blocks.")
        self.faults = counter("bot_faults_total", "Deals lost by bots, by kind.", "kind", KINDS)
        self.audits = counter(
            "audits_total", "Blocks played again by other workers, by outcome.", "outcome", AUDIT_OUTCOMES[1:]
        )
        self.isolations = counter(
            "isolations_total",
            "Booked blocks of which seatings were played again alone, by outcome.",
            "outcome",
            ISOLATION_OUTCOMES[1:],
        )
        self.decided = counter("matches_decided_total", "Matches decided, by rule.", "rule", RULES)
        self.claim_seconds = histogram("claim_seconds", "Time it took to hand out a block.", SERVICE_BUCKETS)
        self.block_seconds = histogram(
            "block_seconds",
            "Time that workers spent on a block, by their clocks; of seatings played apart, the sum.",
            PLAY_BUCKETS,
        )
        self.booking_seconds = histogram(
            "booking_seconds",
            "From a block's report until it was booked, checks by replay included.",
            SERVICE_BUCKETS,
        )
        self.moved_blocks = counter("moved_blocks_total", "Blocks whose records were moved into files.")
        self.record_files = counter(
            "record_files_total",
            "Record files: written, not written (nothing was moved), found missing or damaged when read.",
            "outcome",
            FILE_OUTCOMES,
        )
        self.sent = counter("messages_sent_total", "Messages to workers.", "task", tuple(tasks.QUEUES))


class WaitingGauges(Collector):
    """Gauges read from the database: equal on every replica; absent while the database is."""

    def __init__(self, census: Census, workers: Workers, streams: Streams, clock: Clock) -> None:
        self.census, self.workers, self.streams, self.clock = census, workers, streams, clock

    def describe(self) -> list[Any]:
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        try:
            states, oldest = self.census.count_all(), self.census.find_oldest_queued()
            _, untold = self.streams.count_untold(MAX_COUNTED)
            active = sum(counted.count for counted in self.census.count_active().values())
            present, suspended = self.workers.count_present(self.clock())
        except MaumauError:
            return
        blocks = GaugeMetricFamily(PREFIX + "blocks", "Blocks by state.", labels=["state"])
        for state in BLOCK_STATES:
            blocks.add_metric([state], states.get(state, 0))
        yield blocks
        workers = GaugeMetricFamily(
            PREFIX + "workers", "Workers heard of lately, by state.", labels=["state"]
        )
        workers.add_metric(["present"], present)
        workers.add_metric(["suspended"], suspended)
        yield workers
        yield GaugeMetricFamily(
            PREFIX + "queue_age_seconds", "The oldest queued block's.", self._measure_age(oldest)
        )
        yield GaugeMetricFamily(
            PREFIX + "outbox_lag_seconds", "The oldest untold event's.", self._measure_age(untold)
        )
        yield GaugeMetricFamily(PREFIX + "active", "Tournaments being played or paused.", active)

    def _measure_age(self, since: int) -> float:
        return (self.clock() - since) / 1000 if since else 0.0
