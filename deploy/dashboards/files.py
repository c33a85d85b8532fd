"""The dashboards as files, their expressions, and a check that the committed files are up to date."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from deploy.dashboards import arena, contests, faults, rpcs, tables, workers

FOLDER = Path(__file__).parents[1] / "monitoring/grafana/dashboards"
MADE = (arena, contests, workers, faults, rpcs, tables)


class Query(NamedTuple):
    """A panel's query to Prometheus, with the name of its series in the legend."""

    dashboard: str
    panel: str
    expression: str
    legend: str


def all_files() -> dict[str, str]:
    """Return file names and their JSON, as the code generates them now."""
    made = [module.build() for module in MADE]
    return {
        f"{each.uid.removeprefix('maumau-')}.json": json.dumps(
            each, cls=JSONEncoder, indent=1, sort_keys=True
        )
        + "\n"
        for each in made
    }


def find_stale() -> list[str]:
    """Return the names of the files that are missing, left over or different."""
    fresh, kept = all_files(), {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    return sorted(name for name in fresh.keys() | kept.keys() if fresh.get(name) != kept.get(name))


def queries() -> list[Query]:
    """Return every query in the committed dashboards."""
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for panel in told["panels"]:
            for target in panel.get("targets", ()):
                query = Query(told["title"], panel["title"], target["expr"], target["legendFormat"])
                found.append(query)
    return found
