"""With which kinds of a backend a test runs in `make test`: both if it is marked `stores`, else the first."""

from __future__ import annotations

import pytest


def both_kinds(metafunc: pytest.Metafunc, first: str, second: str) -> list:
    """What a test is parametrized with; the second is left to `make test-long` where no store is tested."""
    if metafunc.definition.get_closest_marker("stores"):
        return [first, second]
    return [first, pytest.param(second, marks=pytest.mark.long)]
