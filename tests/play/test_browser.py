"""A deal in a real browser: by taps to its end, and what nobody should have to put up with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.play.dealing import deal
from tests.support.polling import until
from tests.web.browser import find_serious, opened

FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
MOST = 400  # taps
SHOWN = 3  # after which a picture is taken


def has_turn(page) -> bool:
    return page.locator("#play_hand:not([aria-busy]) [data-choice], [data-again-button]").count() > 0


def tap(page) -> bool:
    """Tap the first choice through its steps and wait for the answer; return False if the deal is over."""
    until("a turn", lambda: has_turn(page))
    if page.locator("[data-again-button]").count():
        return False
    cursor = page.locator("#play_hand input[name=cursor]").first.input_value()
    first = page.locator("#play_hand [data-choice]").first
    is_step = first.get_attribute("data-step") is not None
    first.click()
    if is_step:
        page.locator("#step-title").wait_for()
        page.locator("#play_hand [data-choice]").first.click()
    page.wait_for_function(
        "(cursor) => document.querySelector('#play_hand input[name=cursor]')?.value !== cursor", arg=cursor
    )
    return True


@pytest.mark.long
@pytest.mark.parametrize(("width", "language"), [(360, "de"), (1280, "en")])
def test_a_deal_is_played_to_its_end_by_taps(chromium, page, tmp_path: Path, width, language) -> None:
    size = {"width": width, "height": 740}
    with opened(chromium, page, f"/?lang={language}", viewport=size) as browser:
        browser.locator(".to-play a").click()
        browser.locator(".deal-button").wait_for()
        assert find_serious(browser) == []
        assert browser.evaluate(FITS)
        browser.screenshot(path=tmp_path / f"lobby-{width}.png", full_page=True)
        deal(browser)
        until("a turn", lambda: has_turn(browser))
        assert find_serious(browser) == []
        assert browser.evaluate(FITS)
        browser.screenshot(path=tmp_path / f"table-{width}.png", full_page=True)
        taps = 0
        while tap(browser):
            taps += 1
            if taps == SHOWN:
                until("a turn", lambda: has_turn(browser))
                browser.screenshot(path=tmp_path / f"turn-{width}.png", full_page=True)
            assert taps < MOST
        assert browser.locator("#play_state table.result tbody tr").count() == 2
        assert find_serious(browser) == []
        browser.screenshot(path=tmp_path / f"end-{width}.png", full_page=True)
        over = browser.url
        browser.locator("[data-again-button]").click()
        until("another table", lambda: browser.url != over and has_turn(browser))


@pytest.mark.long
def test_keys_choose_and_a_reload_loses_nothing(chromium, page) -> None:
    with opened(chromium, page, "/play") as browser:
        deal(browser)
        until("a turn", lambda: has_turn(browser))
        shown = browser.locator("#play_hand input[name=cursor]").first
        cursor = shown.input_value()
        browser.reload()
        until("a turn", lambda: has_turn(browser))
        assert shown.input_value() == cursor
        browser.keyboard.press("1")
        step = browser.locator("#step-title")
        until("an answer, or a step", lambda: step.count() or shown.input_value() != cursor)
        if step.count():
            browser.keyboard.press("Escape")
            until("the hand", lambda: not step.count())
            browser.keyboard.press("1")
            until("a step", step.count)
            browser.keyboard.press("1")
        until("an answer", lambda: shown.input_value() != cursor)
        assert browser.locator("#play-words").inner_text() == ""
