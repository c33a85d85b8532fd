"""Pages on a throttled phone: the time of the largest paint, shifts of the layout, the delay of answers.

The phone is the usual one of such measurements: a quarter of this host's speed, 1.6 Mbit/s, 150 ms there and
back; it has kept nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from bench.results.row import ResultRow
from bench.support import chromium

SCREEN = {"width": 390, "height": 844}
SLOWER = 4  # times
NETWORK = {
    "offline": False, "latency": 150, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 750_000 / 8,
}  # fmt: skip
TOUCHED = "header button"  # suits of the cards: it changes what is drawn
SETTLE_MS = 1000  # after which a page is painted, or has answered
VISITS = 3  # of each page
OBSERVE = """
window.seen = { paint: 0, shift: 0, answer: 0 };
const observe = (type, tell) =>
  new PerformanceObserver((list) => list.getEntries().forEach(tell)).observe({ type, buffered: true, durationThreshold: 16 });
observe("largest-contentful-paint", (one) => { seen.paint = one.startTime; });
observe("layout-shift", (one) => { if (!one.hadRecentInput) seen.shift += one.value; });
observe("event", (one) => { seen.answer = Math.max(seen.answer, one.duration); });
"""  # noqa: E501


class Visit(NamedTuple):
    """Measurements of one visit to a page.

    paint, answer: in ms, of the largest contentful paint and of the longest answer to a touch. shift: 0 if
    nothing moved.
    """

    paint: float
    shift: float
    answer: float


def show_on_phone(url: str, paths: Sequence[str]) -> Iterator[ResultRow]:
    """Yield the worst page for each measure; without Chromium print that nothing was measured."""
    if chromium.PATH is None:
        print("NOT MEASURED here: pages on a phone: there is no Chromium (make setup-browser)")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.PATH, args=chromium.FLAGS)
        seen = {path: [visit_page(browser, url + path) for _ in range(VISITS)] for path in paths}
        browser.close()
    for name, field, bound, unit in (
        ("largest contentful paint on a phone", "paint", 1000, "ms"),
        ("layout shift on a phone", "shift", 0, ""),
        ("answer to a touch on a phone", "answer", 100, "ms"),
    ):
        best = {path: min(getattr(one, field) for one in visits) for path, visits in seen.items()}
        worst = max(best, key=best.__getitem__)
        yield ResultRow(
            name,
            best[worst],
            bound,
            most=True,
            unit=unit,
            how=f"best of {VISITS} visits to each page, the most on {worst}",
        )


def visit_page(browser: Any, address: str) -> Visit:
    """Visit a page with an empty cache."""
    context = browser.new_context(viewport=SCREEN, device_scale_factor=2, is_mobile=True, has_touch=True)
    try:
        page = context.new_page()
        page.add_init_script(OBSERVE)
        devtools = context.new_cdp_session(page)
        devtools.send("Network.enable")
        devtools.send("Network.emulateNetworkConditions", NETWORK)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.goto(address, wait_until="load")
        page.wait_for_timeout(SETTLE_MS)
        page.locator(TOUCHED).first.tap()
        page.wait_for_timeout(SETTLE_MS)
        return Visit(**page.evaluate("window.seen"))
    finally:
        context.close()
