"""Deals of every variant played through the browser's own code: taps on what the page offers, by chance.

A driver in the page taps, through the page's own scripts, and lets the next deal be dealt. MAUMAU_PLAY_DEALS
says how many are played of each variant (`make play-deals`: 50).
"""

from __future__ import annotations

import os

import pytest

from bench.support.patience import Deadline
from maumau.game import variants
from services.web.play import lobby
from tests.play.dealing import deal
from tests.web.browser import opened

DEALS = int(os.environ.get("MAUMAU_PLAY_DEALS", "1"))
DRIVER = """
(() => {
  if (!location.pathname.startsWith("/play/table_")) return;
  let state = Number(sessionStorage.getItem("seed") ?? SEED), asked = "";
  const pick = (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % most;
  };
  const tap = () => {
    sessionStorage.setItem("seed", state);
    const hand = document.getElementById("play_hand"), again = document.querySelector("[data-again-button]");
    if (again) {
      const over = Number(sessionStorage.getItem("over") ?? 0) + 1;
      sessionStorage.setItem("over", over);
      clearInterval(ticking);
      tellOver();
      if (over < DEALS) again.click();
      return;
    }
    if (!hand || hand.hasAttribute("aria-busy")) return;
    const choices = [...hand.querySelectorAll("[data-choice]")];
    const cursor = hand.querySelector("input[name=cursor]")?.value;
    const step = document.getElementById("step-title")?.textContent ?? "", now = `${cursor} ${step}`;
    if (!choices.length || now === asked) return;
    asked = now;
    const cards = choices.filter((one) => one.closest(".my-cards"));
    const list = cards.length && pick(10) < 9 ? cards : choices;
    list[pick(list.length)].click();
  };
  const ticking = setInterval(tap, 20);
})();
"""


@pytest.mark.long
@pytest.mark.parametrize("rules", variants())
def test_deals_of_a_variant_are_played_to_the_end_by_taps(chromium, page, monkeypatch, rules) -> None:
    monkeypatch.setattr(lobby, "THINK_MS", 0)
    with opened(chromium, page, f"/play?rules={rules}") as browser:
        driver = DRIVER.replace("SEED", str(1 + variants().index(rules))).replace("DEALS", str(DEALS))
        over: list[str] = []
        browser.context.expose_function("tellOver", lambda: over.append(rules))
        browser.context.add_init_script(driver)
        deal(browser)
        last = Deadline(60 * DEALS)
        while len(over) < DEALS:
            assert not last.has_passed(), (rules, len(over), browser.locator("#play_state").inner_text())
            browser.wait_for_timeout(100)
        assert browser.locator("#play_state table.result tbody tr").count() >= 2
        assert browser.locator("#play-words").inner_text() == ""
