"""In a real browser a card that may not be laid says why, and a wish is four suits beside the pile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.play.dealing import deal
from tests.play.test_browser import FITS, MOST, has_turn, tap
from tests.play.test_keys import find_cursor
from tests.support.polling import until
from tests.web.browser import find_serious, opened

pytestmark = pytest.mark.long
BARRED = "#play_hand:not([aria-busy]) .my-cards a[data-why]"
STEP = "#play_hand:not([aria-busy]) .my-cards a[data-step]"
SUITS = "#play_hand .suits button.suit"


def play_until(browser, selector: str) -> None:
    """Tap until there is such an element in one's own turn, in as many deals as that takes."""
    for _ in range(MOST):
        until("a turn", lambda: has_turn(browser))
        if browser.locator(selector).count() and not browser.locator("[data-again-button]").count():
            return
        if not tap(browser):
            over = browser.url
            browser.locator("[data-again-button]").click()
            until("another table", lambda was=over: browser.url != was)
    raise AssertionError(f"there is no {selector}")


NAMES = {"en": ("clubs", "spades", "hearts", "diamonds"), "de": ("Kreuz", "Pik", "Herz", "Karo")}


@pytest.mark.parametrize(("width", "language"), [(360, "de"), (1280, "en")])
def test_a_barred_card_says_why_and_a_wish_is_made_beside_the_pile(
    chromium, page, tmp_path: Path, width, language
) -> None:
    size = {"width": width, "height": 740}
    with opened(chromium, page, f"/?lang={language}", viewport=size) as browser:
        browser.goto(f"{page.url}/play/today")
        assert (browser.evaluate(FITS), find_serious(browser)) == (True, [])
        browser.goto(f"{page.url}/play?rules=mau_mau")
        deal(browser)
        play_until(browser, BARRED)
        check_reason(browser)
        browser.screenshot(path=tmp_path / f"why-{width}.png", full_page=True)
        play_until(browser, STEP)
        cursor = find_cursor(browser)
        browser.locator(STEP).first.click()
        browser.locator("#step-title").wait_for()
        suits = browser.locator(SUITS)
        assert [suits.filter(has_text=name).count() for name in NAMES[language]] == [1] * 4
        pile, first = browser.locator("#table .pile").bounding_box(), suits.first.bounding_box()
        assert abs(first["y"] - pile["y"]) < pile["height"]
        assert (browser.evaluate(FITS), find_serious(browser)) == (True, [])
        browser.screenshot(path=tmp_path / f"wish-{width}.png", full_page=True)
        browser.keyboard.press("2")
        until("the wish", lambda: find_cursor(browser) != cursor)


def check_reason(browser) -> None:
    """Tap a card that may not be laid, choose it by key, and see that nothing but its reason comes of it."""
    cursor = find_cursor(browser)
    sent: list[str] = []
    browser.on("request", lambda asked: sent.append(asked.url) if asked.method == "POST" else None)
    first, words = browser.locator(BARRED).first, browser.locator("#play-words")
    why = first.get_attribute("data-why")
    first.click()
    until("the reason", lambda: words.inner_text() == why)
    assert words.get_attribute("role") == "alert"
    first.focus()
    browser.keyboard.press("Enter")
    until("the reason again", lambda: words.inner_text() == why)
    assert (find_cursor(browser), sent) == (cursor, [])
    assert (browser.evaluate(FITS), find_serious(browser)) == (True, [])
