"""Metrics of the registry; states are read from the database on scrape."""

from collections.abc import Callable, Iterator
from typing import Any

from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from maumau.errors import MaumauError
from services.registry.domain.state import State
from services.registry.store import Validations
from services.registry.store.notices.delivery import Deliveries
from services.shared.base import metric

UPLOADS = ("stored", "known", "refused", "broken")
DELIVERED = ("delivered", "failed")
OUTCOMES = ("valid", "refused", "stalled")


class RegistryMetrics:
    """Counters of this process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, words: str, outcomes: tuple[str, ...] = ()) -> Counter:
            label = "outcome" if outcomes else ""
            return metric.new_counter(registry, f"maumau_registry_{name}", words, label, outcomes)

        self.uploads = counter("uploads_total", "Uploads by how they ended.", UPLOADS)
        self.bytes = counter("upload_bytes_total", "Bytes of programs taken in.")
        self.validations = counter("validations_total", "Validations by how they ended.", OUTCOMES)
        self.claims = counter("validation_claims_total", "Validations taken by a worker.")
        self.duplicates = counter("duplicate_claims_total", "Claims that found nothing to do.")
        self.suspended = counter("suspended_total", "Versions taken out of play for their faults.")
        self.deliveries = counter("webhook_deliveries_total", "Attempts to tell webhooks.", DELIVERED)
        self.stale = counter("stale_fences_total", "Reports that came under a fence no longer held.")


class Queue(Collector):
    """Gauges read from the database, equal on every replica."""

    def __init__(self, validations: Validations) -> None:
        self.validations = validations

    def describe(self) -> list[Any]:
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges; none while the database is unavailable, rather than fail the page."""
        for read in (self._count_versions, self._measure_oldest):
            yield from _or_nothing(read)

    def _count_versions(self) -> GaugeMetricFamily:
        gauge = GaugeMetricFamily("maumau_registry_versions", "Versions by state.", labels=["state"])
        for state, count in self.validations.count_states().items():
            gauge.add_metric([state], count)
        return gauge

    def _measure_oldest(self) -> GaugeMetricFamily:
        words = "How long the oldest waiting version has waited for a worker."
        waiting = self.validations.count_waiting()[State.UPLOADED]
        return GaugeMetricFamily(
            "maumau_registry_oldest_waiting_seconds", words, value=(waiting.oldest or 0) / 1000
        )


class Undelivered(Collector):
    """Gauges of what webhooks have yet to be told, read from the database."""

    def __init__(self, deliveries: Deliveries) -> None:
        self.deliveries = deliveries

    def describe(self) -> list[Any]:
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges; none while the database is unavailable."""
        try:
            counts = self.deliveries.count_waiting()
        except MaumauError:
            return
        words = "Deliveries that wait for their webhooks."
        yield GaugeMetricFamily("maumau_registry_webhook_waiting", words, value=counts.waiting)
        words = "How long the oldest delivery has waited."
        name = "maumau_registry_webhook_oldest_seconds"
        yield GaugeMetricFamily(name, words, value=counts.oldest / 1000)


def _or_nothing(read: Callable[[], GaugeMetricFamily]) -> Iterator[GaugeMetricFamily]:
    try:
        yield read()
    except MaumauError:
        return
