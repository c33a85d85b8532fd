"""Taps of one person in a real browser, timed until the answer is drawn, beside all other streams."""

from __future__ import annotations

import time
from typing import Final

from bench.support import chromium

THINK_MS: Final = 500  # of the person at the browser
TAP: Final = """
async () => {
  const hand = document.getElementById("play_hand");
  const cursor = () => hand.querySelector("input[name=cursor]")?.value;
  const one = hand.querySelector("button[data-choice]"), asked = cursor();
  if (!one) return null;
  const began = performance.now();
  one.click();
  const drawn = new Promise((done) => {
    const seeing = new MutationObserver(() => {
      if (cursor() === asked) return;
      seeing.disconnect();
      requestAnimationFrame(() => done(performance.now() - began));
    });
    seeing.observe(hand, { childList: true, subtree: true });
  });
  return Promise.race([drawn, new Promise((late) => setTimeout(() => late(null), 10000))]);
}
"""


def tap_in_browser(address: str, cookie: str, seconds: float) -> list[float]:
    """Play at a table's page for this time; return the seconds from each tap to its drawn answer.

    Without Chromium print that nothing was measured, and wait.
    """
    ends = time.monotonic() + seconds
    if chromium.PATH is None:
        print("NOT MEASURED here: taps in a browser: there is no Chromium (make setup-browser)")
        time.sleep(seconds)
        return []
    from playwright.sync_api import sync_playwright

    waits: list[float] = []
    name, _, value = cookie.partition("=")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.PATH, args=chromium.FLAGS)
        context = browser.new_context(viewport={"width": 360, "height": 740})
        context.add_cookies([{"name": name, "value": value, "url": address}])
        page = context.new_page()
        page.goto(address)
        while time.monotonic() < ends:
            page.wait_for_timeout(THINK_MS)
            took = page.evaluate(TAP)
            waits += [took / 1000] if took is not None else []
        browser.close()
    return waits
