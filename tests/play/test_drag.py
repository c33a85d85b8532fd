"""Cards dragged in a real browser: onto the table they are laid, anywhere else nothing happens."""

from __future__ import annotations

import pytest

from tests.play.dealing import deal
from tests.play.test_browser import MOST, has_turn, tap
from tests.support.polling import until
from tests.web.browser import opened

HAND = "#play_hand:not([aria-busy]) .my-cards"
CARD = f"{HAND} [data-choice]"
LINK = f"{HAND} a"
CURSOR = "#play_hand input[name=cursor]"
CORNER = (5, 5)
SLOW = 5  # pixels of a first move: enough for the browser to drag a link by itself, too few for the page


def find_card(browser, cards: str):
    """Play until there is one of these cards; return the first."""
    until("a turn", lambda: has_turn(browser))
    for _ in range(MOST):
        if browser.locator(cards).count():
            break
        assert tap(browser), f"the deal is over without {cards}"
        until("a turn", lambda: has_turn(browser))
    return browser.locator(cards).first


def drag(browser, card, where: tuple[float, float]) -> None:
    """Drag a card to a point of the window, slowly at first."""
    box = card.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    browser.mouse.move(x, y)
    browser.mouse.down()
    browser.mouse.move(x + SLOW, y)
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
        card = find_card(browser, CARD)
        cursor = browser.locator(CURSOR).first.input_value()
        answers: list[str] = []
        browser.on("request", lambda asked: answers.append(asked.url) if asked.method == "POST" else None)
        drag(browser, card, CORNER)
        assert browser.locator(CURSOR).first.input_value() == cursor
        assert browser.locator("#step-title").count() == 0
        assert answers == []
        drag(browser, card, find_middle(browser))
        step, shown = browser.locator("#step-title"), browser.locator(CURSOR).first
        until("an answer, or a step", lambda: step.count() or shown.input_value() != cursor)


@pytest.mark.long
def test_a_card_that_is_a_link_is_dragged_by_the_page_and_not_by_the_browser(chromium, page) -> None:
    with opened(chromium, page, "/play?rules=prsi") as browser:
        deal(browser)
        drag(browser, find_card(browser, LINK), CORNER)
