"""The rules for alerts and recordings as the Prometheus operator takes them: `make metrics` writes them."""

from __future__ import annotations

from pathlib import Path

import yaml

RULES = Path("deploy/monitoring/rules.yml")
RESOURCE = Path("k8s/overlays/production/alerts.yaml")
HEAD = "# Made from deploy/monitoring/rules.yml by `make metrics`.\n"


def text() -> str:
    """Return the resource with all groups of the rules."""
    resource = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "maumau", "namespace": "maumau"},
        "spec": yaml.safe_load(RULES.read_text(encoding="utf-8")),
    }
    return HEAD + yaml.safe_dump(resource, sort_keys=False, width=110)


if __name__ == "__main__":
    RESOURCE.write_text(text(), encoding="utf-8")
