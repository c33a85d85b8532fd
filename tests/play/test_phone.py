"""A table on a phone: the pile and the hand are visible without scrolling."""

from __future__ import annotations

import pytest

from tests.play.test_browser import FITS, has_turn, tap
from tests.support.polling import until
from tests.web.browser import opened

BOXES = """selector => [...document.querySelectorAll(selector)].map(each => {
  const box = each.getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom];
})"""


def list_outside(browser, selector: str, width: int, height: int) -> list[list[float]]:
    """Return the boxes, in pixels, of what is not wholly on the screen; fail if nothing is there."""
    boxes = browser.evaluate(BOXES, selector)
    assert boxes, selector
    return [
        box for box in boxes
        if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height
    ]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("width", "height"), [(360, 740), (390, 844)])
@pytest.mark.parametrize(
    ("language", "guest", "scheme"), [("en", "guest (you)", "light"), ("de", "Gast (du)", "dark")]
)
def test_the_pile_and_the_hand_are_on_a_phone_s_screen(
    chromium, page, width, height, language, guest, scheme
) -> None:
    size = {"width": width, "height": height}
    address = f"/play?lang={language}&rules=mau_mau"
    with opened(chromium, page, address, viewport=size, color_scheme=scheme) as browser:
        browser.locator(".deal-button").click()
        until("a turn", lambda: has_turn(browser))
        while not browser.locator(".my-cards .card").count():  # the deal may begin with a question
            assert tap(browser)
            until("a turn", lambda: has_turn(browser))
        assert browser.evaluate("scrollY") == 0
        assert browser.evaluate(FITS)
        for selector in ("header.compact", "#table .pile .card", ".my-cards .card"):
            assert list_outside(browser, selector, width, height) == [], selector
        assert browser.locator("#table .seats.bottom .who").inner_text().startswith(guest)
