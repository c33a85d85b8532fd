"""Slow tests of minutes: `make fuzz` names this file, `make test` does not collect it."""

from __future__ import annotations

import pytest

from tests.game.chi import unfair


@pytest.mark.timeout(1800)
def test_a_million_deals_are_fair() -> None:
    assert list(unfair(1_000_000)) == []
