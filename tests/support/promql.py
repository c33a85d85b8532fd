"""A parser of Prometheus expressions: metrics, labels, values; enough to compare them with the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import yaml

from bench.support.checkout import ROOT
from deploy import metrics
from deploy.dashboards import files

MONITORING = ROOT / "deploy/monitoring"
TARGET = {"job", "service", "instance"}
"""Labels that Prometheus adds to each target: prometheus.yml."""
OPEN = {"grpc_service", "grpc_method", "grpc_code", "route", "status", "need"}
"""Labels whose values come with the first event."""
OTHERS = {
    "up": set(), "ALERTS": {"alertname", "alertstate", "severity"}, "process_cpu_seconds_total": set(),
    "process_resident_memory_bytes": set(), "process_open_fds": set(), "process_max_fds": set(),
}  # fmt: skip
"""Prometheus' own, and those of every process."""

STRING = r'"[^"]*"'
SELECTOR = re.compile(rf"([A-Za-z_:][\w:]*)\{{((?:{STRING}|[^{{}}\"])*)\}}")
MATCHER = re.compile(rf"(\w+)\s*(=~|!~|!=|=)\s*({STRING})")
GROUPING = re.compile(r"\b(?:by|on|without|ignoring)\s*\(([^)]*)\)")
NAME = re.compile(r"\b(?:(?:maumau|grpc|process)[_:][\w:]+|up|ALERTS)\b")


class Asked(NamedTuple):
    """The metrics and labels of one expression."""

    names: set[str]
    matched: set[tuple[str, str, str]]  # name, label and value; each value of an alternative
    grouped: set[str]


def parse_expression(expression: str) -> Asked:
    matched = {
        (name, label, value)
        for name, inside in SELECTOR.findall(expression)
        for label, _, text in MATCHER.findall(inside)
        for value in text.strip('"').split("|")
    }
    bare = GROUPING.sub(" ", SELECTOR.sub(r"\1", expression))
    grouped = {word.strip() for inside in GROUPING.findall(expression) for word in inside.split(",")}
    return Asked(set(NAME.findall(bare)), matched, grouped - {""})


@cache
def known_series() -> dict[str, dict[str, set[str]]]:
    """Return every series that there can be, with its labels and their known values."""
    found: dict[str, dict[str, set[str]]] = {
        name: {each: set() for each in by} for name, by in OTHERS.items()
    }
    for _, family in metrics.families():
        for name in metrics.series(family):
            found[name] = metrics.labels(family) | ({"le": set()} if name.endswith("_bucket") else {})
    for rule in all_rules():
        if "record" in rule:
            found[rule["record"]] = {
                label: set() for label in parse_expression(rule["expr"]).grouped - {"le"}
            }
    return found


def all_rules() -> Iterator[dict[str, Any]]:
    for group in yaml.safe_load((MONITORING / "rules.yml").read_text())["groups"]:
        yield from group["rules"]


def all_expressions() -> list[str]:
    """Return the expressions of rules and dashboards, with an interval in place of Grafana's own."""
    asked = [rule["expr"] for rule in all_rules()]
    return asked + [query.expression.replace("$__rate_interval", "1m") for query in files.queries()]


def find_mistakes(expression: str, there: dict[str, dict[str, set[str]]]) -> list[str]:
    """Return the parts of an expression that do not exist."""
    asked = parse_expression(expression)
    unknown = [name for name in asked.names if name not in there]
    labels = TARGET.union(*(there[name] for name in asked.names - set(unknown)))
    wrong = [f"grouped by {label}" for label in sorted(asked.grouped - labels)]
    for name, label, value in sorted(asked.matched):
        values = there.get(name, {}).get(label, None if label not in TARGET else set())
        if values is None:
            wrong.append(f"{name} has no {label}")
        elif values and label not in OPEN and value not in values:
            wrong.append(f"{name} has no {label} {value}")
    return [*sorted(unknown), *wrong]
