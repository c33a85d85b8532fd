"""Selection of kinds for a test: those in `make test`, and those in `make test-long`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest


def both_kinds(metafunc: pytest.Metafunc, first: str, second: str) -> list:
    """Return both kinds of a backend if the test is marked `stores`, else the second as a long test."""
    if metafunc.definition.get_closest_marker("stores"):
        return [first, second]
    return [first, pytest.param(second, marks=pytest.mark.long)]


def one_of(every: int, values: Iterable[Any]) -> list:
    """Return all as parameters, a tuple as one per name: one of `every` in `make test`, the rest long."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=[pytest.mark.long] * later)
        for number, value in enumerate(values)
        for later in [number % every > 0]
    ]


def mark_samples(items: list[pytest.Item]) -> None:
    """Mark as long all cases of a test marked `sample(n)` but n, the first and others evenly spread."""
    tests = defaultdict[tuple[Any, str], list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("long"):
            tests[item.parent, getattr(item, "originalname", item.name)].append(item)
    for cases in tests.values():
        marker = cases[0].get_closest_marker("sample")
        wanted = marker.args[0] if marker.args else 1
        kept = {number * len(cases) // wanted for number in range(wanted)}
        for number, case in enumerate(cases):
            if number not in kept:
                case.add_marker(pytest.mark.long)
