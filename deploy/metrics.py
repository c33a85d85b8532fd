"""Writer of docs/reference/metrics.md, from the services' metrics: `python -m deploy.metrics`."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from prometheus_client import CollectorRegistry

from services.engine.metrics import EngineMetrics as Engine
from services.matchmaking.metrics import MatchmakingMetrics as Matchmaking
from services.registry.domain.state import State
from services.registry.metrics import Queue, Undelivered
from services.registry.metrics import RegistryMetrics as Registry
from services.shared.base.metric import RpcMetrics
from services.shared.base.settings import Settings
from services.shared.process.health import Needs
from services.shared.rpc.door import Door, read_limits
from services.shared.store.leader import new_gauge
from services.tournament.metrics import TournamentMetrics as Tournament
from services.tournament.metrics import WaitingGauges
from services.web.delivery.feed import Hub
from services.web.metrics import WebMetrics as Web
from services.worker.metrics import CounterTally

PAGE = Path(__file__).parents[1] / "docs/reference/metrics.md"
HEAD = """# Metrics

`make metrics` writes this page from the code. Every process of the arena shows its metrics on `/metrics` (`MAUMAU_METRICS_PORT`; 9100 in `docker-compose.yml`). Units are seconds and bytes; labels come from closed sets, never from names or ids. Times of blocks have exemplars with the block's id, for whoever asks for the page in OpenMetrics, as Prometheus does; it keeps them with `--enable-feature=exemplar-storage`. `deploy/monitoring/` has a configuration for Prometheus with recording and alert rules, and dashboards for Grafana. Prometheus adds `service`, the name of the service in the compose file, and `instance`, the process.

Besides these every process shows `process_cpu_seconds_total`, `process_resident_memory_bytes` and the rest that Prometheus' clients have in common.
"""  # noqa: E501
TABLE = "| metric | type | labels | what it says |\n|---|---|---|---|\n"


def families() -> Iterator[tuple[str, Any]]:
    """Yield each metric with the service that shows it."""
    validations: Any = SimpleNamespace(
        count_states=lambda: dict.fromkeys(State, 0),
        count_waiting=lambda: {State.UPLOADED: SimpleNamespace(oldest=None)},
    )
    deliveries: Any = SimpleNamespace(count_waiting=lambda: SimpleNamespace(waiting=0, oldest=0))
    census: Any = SimpleNamespace(count_all=dict, find_oldest_queued=lambda: 0, count_active=dict)
    workers: Any = SimpleNamespace(count_present=lambda _: (0, 0))
    streams: Any = SimpleNamespace(count_untold=lambda _: (0, 0))
    made = {
        "every gRPC service": _used_rpc,
        "registry": lambda registry: (
            Registry(registry), registry.register(Queue(validations)),
            registry.register(Undelivered(deliveries)), new_gauge(registry, "registry"),
        ),
        "tournament": lambda registry: (
            Tournament(registry), registry.register(WaitingGauges(census, workers, streams, lambda: 0)),
            new_gauge(registry, "tournament"),
        ),
        "engine": Engine,
        "matchmaking": lambda registry: (Matchmaking(registry), new_gauge(registry, "matchmaking")),
        "web": _used_web,
        "worker": lambda registry: registry.register(CounterTally()),
    }  # fmt: skip
    for service, make in made.items():
        registry = CollectorRegistry()
        make(registry)
        for family in sorted(registry.collect(), key=lambda each: str(each.name)):
            yield service, family


def _used_rpc(registry: CollectorRegistry) -> None:
    """Make one call: methods and results are unknown before, and only finished calls have labels."""
    RpcMetrics(registry).ended("/maumau.v1.EngineService/Fold", "OK", 0.0)
    Door(read_limits(Settings()), registry)
    Needs(None, registry).up.labels("database")


def _used_web(registry: CollectorRegistry) -> None:
    """Make one request, for the same reason."""
    web = Web(registry, Hub())
    Door(read_limits(Settings()), registry)
    web.requests.labels("/", "2xx")
    web.seconds.labels("/")


def labels(family: Any) -> dict[str, set[str]]:
    """Return a metric's labels, with the values known from the start; without `le` of histograms."""
    found: dict[str, set[str]] = {}
    for sample in family.samples:
        for label, value in sample.labels.items():
            found.setdefault(label, set()).add(value)
    found.pop("le", None)
    return found


def series(family: Any) -> list[str]:
    """Return the names under which a metric can be queried."""
    suffixes = {"counter": ["_total"], "histogram": ["_bucket", "_count", "_sum"]}.get(family.type, [""])
    return [family.name + suffix for suffix in suffixes]


def text() -> str:
    """Return the page."""
    parts, last = [HEAD], ""
    for service, family in families():
        if service != last:
            parts.append(f"\n## {service[0].upper()}{service[1:]}\n\n{TABLE}")
            last = service
        name = series(family)[0] if family.type == "counter" else family.name
        by = ", ".join(f"`{label}`" for label in sorted(labels(family)))
        parts.append(f"| `{name}` | {family.type} | {by} | {family.documentation} |\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
