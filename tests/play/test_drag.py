"""Cards dragged in a real browser: onto the table they are laid, anywhere else nothing happens."""

from __future__ import annotations

import pytest

from tests.play.dealing import deal
from tests.play.test_browser import MOST, has_turn, tap
from tests.support.polling import until
from tests.web.browser import opened

CARD = "#play_hand:not([aria-busy]) .my-cards [data-choice]"
CURSOR = "#play_hand input[name=cursor]"


def drag(browser, where: tuple[float, float]) -> None:
    """Drag the first card that may be laid to a point of the window."""
    box = browser.locator(CARD).first.bounding_box()
    browser.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    browser.mouse.down()
    browser.mouse.move(*where, steps=4)
    browser.locator(".my-cards .dragged").wait_for()
    browser.mouse.up()
    browser.locator(".my-cards .dragged").wait_for(state="detached")


def find_middle(browser) -> tuple[float, float]:
    box = browser.locator("#table").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.long
def test_a_card_dragged_onto_the_table_is_laid_and_elsewhere_it_is_not(chromium, page) -> None:
    with opened(chromium, page, "/play?rules=prsi") as browser:
        deal(browser)
        until("a turn", lambda: has_turn(browser))
        for _ in range(MOST):
            if browser.locator(CARD).count():
                break
            assert tap(browser), "the deal is over without a card to lay"
            until("a turn", lambda: has_turn(browser))
        cursor = browser.locator(CURSOR).first.input_value()
        answers: list[str] = []
        browser.on("request", lambda asked: answers.append(asked.url) if asked.method == "POST" else None)
        drag(browser, (5, 5))
        assert browser.locator(CURSOR).first.input_value() == cursor
        assert browser.locator("#step-title").count() == 0
        assert answers == []
        drag(browser, find_middle(browser))
        step, shown = browser.locator("#step-title"), browser.locator(CURSOR).first
        until("an answer, or a step", lambda: step.count() or shown.input_value() != cursor)
