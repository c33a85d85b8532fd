"""What the registry counts; states are read from the database when somebody asks."""

from collections.abc import Callable, Iterator
from typing import Any

from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from maumau.errors import MaumauError
from services.registry.state import State
from services.registry.store import Validations
from services.shared import metric

UPLOADS = ("stored", "known", "refused", "broken")
OUTCOMES = ("valid", "refused", "stalled")


class Metrics:
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
        self.stale = counter("stale_fences_total", "Reports that came under a fence no longer held.")


class Queue(Collector):
    """Gauges of the database: the same whichever replica answers."""

    def __init__(self, validations: Validations) -> None:
        self.validations = validations

    def describe(self) -> list[Any]:
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Nothing while the database does not answer, rather than a page that fails."""
        for read in (self._versions, self._oldest):
            yield from _or_nothing(read)

    def _versions(self) -> GaugeMetricFamily:
        gauge = GaugeMetricFamily("maumau_registry_versions", "Versions by state.", labels=["state"])
        for state, count in self.validations.counts().items():
            gauge.add_metric([state], count)
        return gauge

    def _oldest(self) -> GaugeMetricFamily:
        words = "How long the oldest waiting version has waited for a worker."
        waiting = self.validations.count_waiting()[State.UPLOADED]
        return GaugeMetricFamily(
            "maumau_registry_oldest_waiting_seconds", words, value=(waiting.oldest or 0) / 1000
        )


def _or_nothing(read: Callable[[], GaugeMetricFamily]) -> Iterator[GaugeMetricFamily]:
    try:
        yield read()
    except MaumauError:
        return
