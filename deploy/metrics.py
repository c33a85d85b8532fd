"""docs/metrics.md, from the metrics that the services make: `python -m deploy.metrics` writes it."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from prometheus_client import CollectorRegistry

from services.engine.metrics import Metrics as Engine
from services.matchmaking.metrics import Metrics as Matchmaking
from services.registry.metrics import Metrics as Registry
from services.registry.metrics import Queue
from services.shared.health import Needs
from services.shared.leader import new_gauge
from services.shared.metric import RpcMetrics
from services.tournament.metrics import Metrics as Tournament
from services.tournament.metrics import Waiting
from services.web.feed import Hub
from services.web.metrics import Metrics as Web
from services.worker.metrics import Tally

PAGE = Path(__file__).parents[1] / "docs/metrics.md"
HEAD = """# Metrics

`make metrics` writes this page from the code. Every process of the arena shows its metrics on `/metrics` (`MAUMAU_METRICS_PORT`; 9100 in `docker-compose.yml`). Units are seconds and bytes; labels come from closed sets, never from names or ids. `deploy/monitoring/` has a configuration for Prometheus with recording and alert rules.

Besides these every process shows `process_cpu_seconds_total`, `process_resident_memory_bytes` and the rest that Prometheus' clients have in common.
"""  # noqa: E501


def families() -> Iterator[tuple[str, Any]]:
    """Each metric with the service that shows it."""
    nothing: Any = SimpleNamespace(
        census=lambda *_: ({}, 0), oldest=lambda: 0, counts=lambda: {"uploaded": 0}, active=list
    )
    workers: Any = SimpleNamespace(census=lambda _: (0, 0))
    made = {
        "every gRPC service": lambda registry: (RpcMetrics(registry), Needs(None, registry)),
        "registry": lambda registry: (
            Registry(registry), registry.register(Queue(nothing)), new_gauge(registry, "registry")
        ),
        "tournament": lambda registry: (
            Tournament(registry), registry.register(Waiting(nothing, workers, nothing, nothing, lambda: 0)),
            new_gauge(registry, "tournament"),
        ),
        "engine": Engine,
        "matchmaking": lambda registry: (Matchmaking(registry), new_gauge(registry, "matchmaking")),
        "web": lambda registry: Web(registry, Hub()),
        "worker": lambda registry: registry.register(Tally()),
    }  # fmt: skip
    for service, make in made.items():
        registry = CollectorRegistry()
        make(registry)
        for family in sorted(registry.collect(), key=lambda each: str(each.name)):
            yield service, family


def series(family: Any) -> list[str]:
    """The names under which a metric can be asked for."""
    suffixes = {"counter": ["_total"], "histogram": ["_bucket", "_count", "_sum"]}.get(family.type, [""])
    return [family.name + suffix for suffix in suffixes]


def text() -> str:
    """The page."""
    parts, last = [HEAD], ""
    for service, family in families():
        if service != last:
            parts.append(
                f"\n## {service[0].upper()}{service[1:]}\n\n| metric | type | what it says |\n|---|---|---|\n"
            )
            last = service
        name = series(family)[0] if family.type == "counter" else family.name
        parts.append(f"| `{name}` | {family.type} | {family.documentation} |\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
