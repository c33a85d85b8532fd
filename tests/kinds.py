"""With which kinds of a backend a test runs in `make test`: both if it is marked `stores`, else the first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def both_kinds(metafunc: pytest.Metafunc, first: str, second: str) -> list:
    """What a test is parametrized with; the second is left to `make test-long` where no store is tested."""
    if metafunc.definition.get_closest_marker("stores"):
        return [first, second]
    return [first, pytest.param(second, marks=pytest.mark.long)]


def one_of(every: int, values: Iterable[Any]) -> list:
    """All of them as parameters: one of `every` in `make test`, the rest in `make test-long`."""
    return [
        pytest.param(value, marks=[] if number % every == 0 else pytest.mark.long)
        for number, value in enumerate(values)
    ]
