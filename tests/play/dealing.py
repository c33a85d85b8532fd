"""The first step of a browser's test: a deal against a house bot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.support.patience import Deadline


def click_deal(page: Any) -> None:
    page.locator(".deal-button").click()


def deal(page: Any, press: Callable[[Any], None] = click_deal) -> None:
    """Press the button until there is a table: while the host is busy no house bot may have time."""
    last = Deadline(60)
    while True:
        with page.expect_navigation():
            press(page)
        if "/play/table_" in page.url:
            return
        assert not last.has_passed(), page.locator("main").inner_text()
        last.pause()
