"""The page of a review in a real browser: fits, has no serious finding, and works without scripts."""

from __future__ import annotations

import msgspec
import pytest

from services.web.delivery import reviewer as reviewing
from services.web.delivery.reviewer import Outcome
from tests.support.fake import a_match, a_set, a_tournament
from tests.web.browser import find_serious, opened

PATH = "/contests/old/matches/1.1.2/sets/3/review?lang={}&seat=B"
NAMES = ("rollout", "a-bot-with-a-name-as-long-as-they-may-be")


@pytest.fixture
def reviewed(site, monkeypatch):
    """Return the pages with a set that can be reviewed."""
    monkeypatch.setattr(reviewing, "SECONDS", 0.3)
    site.arena.contests = [a_tournament("old", "finished", NAMES)]
    site.arena.games = {"old": [a_match("1.1.2", names=NAMES, state="decided", winner=1)]}
    found = a_set(3)
    site.arena.sets[3] = msgspec.structs.replace(found, first_name=NAMES[0], second_name=NAMES[1])
    return site


@pytest.mark.long
@pytest.mark.parametrize(
    ("width", "scheme", "language"), [(390, "light", "de"), (768, "dark", "en"), (1440, "dark", "de")]
)
def test_a_review_fits_and_has_no_serious_finding(chromium, reviewed, width, scheme, language) -> None:
    shown = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(chromium, reviewed, PATH.format(language), java_script_enabled=False, **shown) as page:
        page.locator("figure.review-curve").wait_for()  # the waiting page loads again without scripts
    with opened(chromium, reviewed, PATH.format(language), **shown) as page:
        page.locator("figure.review-curve").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert find_serious(page) == []
        page.locator("details.review-decision summary").first.focus()
        page.keyboard.press("Enter")
        assert page.locator("details.review-decision").first.get_attribute("open") is not None


@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme", "language"), [(390, "dark", "en"), (1440, "light", "de")])
def test_a_page_that_waits_has_no_serious_finding(
    chromium, reviewed, monkeypatch, width, scheme, language
) -> None:
    monkeypatch.setattr(reviewing.Reviewer, "find_review", lambda *_: Outcome("waiting"))
    shown = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(chromium, reviewed, PATH.format(language), **shown) as page:
        page.get_by_role("progressbar").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert find_serious(page) == []
