"""The page from which a deal is played on, in a real browser at three widths, light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.play.conftest import Guest
from tests.play.dealing import deal
from tests.play.test_browser import FITS, has_turn
from tests.support.polling import until
from tests.web.browser import find_serious, opened

WIDTHS = (360, 820, 1440)


@pytest.mark.long
def test_a_deal_is_played_on_from_its_review(chromium, page, tmp_path: Path) -> None:
    guest = Guest(page.port, "browser")
    over = guest.play_to_the_end(guest.deal("prsi"))
    assert "/play/from" in over.text
    table = guest.at.rpartition("/")[2]
    path = f"/play/from?of=/tables/{table}/review&deal=0&seat=A&at=2"
    with opened(chromium, page, path) as browser:
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                browser.emulate_media(color_scheme=scheme)
                browser.set_viewport_size({"width": width, "height": 800})
                assert find_serious(browser) == [], (width, scheme)
                assert browser.evaluate(FITS), width
                browser.screenshot(path=tmp_path / f"from-{width}-{scheme}.png", full_page=True)
        browser.goto(f"{page.url}{path}&lang=de")
        browser.screenshot(path=tmp_path / "from-de.png", full_page=True)
        browser.locator("input[name=bot][value=greedy]").check()  # the one that this arena has
        deal(browser)
        until("a turn", lambda: has_turn(browser))
        assert "zählt nirgends" in browser.locator("#play_state").inner_text()
        assert find_serious(browser) == []
        browser.screenshot(path=tmp_path / "table.png", full_page=True)
        browser.set_viewport_size({"width": 360, "height": 740})
        browser.screenshot(path=tmp_path / "table-360.png", full_page=True)
