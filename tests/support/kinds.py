"""Selection of kinds for a test: those in `make test`, and those in `make test-long`."""

from __future__ import annotations

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
