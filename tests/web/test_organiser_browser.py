"""The form of a contest, a changed spec and protests in a real browser."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from maumau.contest.spec.spec import parse_spec
from tests.support.arenas.tournament import DEFAULTS, SPEC, play_all
from tests.web.browser import find_serious, opened
from tests.web.test_spec_form import WASP

pytestmark = pytest.mark.long


def test_a_file_fills_the_form_and_the_zone_is_the_visitors(chromium, house, tmp_path: Path) -> None:
    client, _, visitor = house.organiser()
    name = f"cup-{uuid.uuid4().hex[:8]}"
    (tmp_path / "wasp.toml").write_text(WASP)
    zone = {"timezone_id": "America/New_York"}
    with opened(chromium, house, "/me/new-contest", visitor.cookies, **zone) as page:
        assert page.input_value("#zone") == "America/New_York"
        page.fill("#name", name)
        page.fill("#starts", "2999-07-01T18:00")
        page.set_input_files("#files", tmp_path / "wasp.toml")
        page.locator("#drawn pre", has_text="variant_toml").wait_for()
        page.locator("#drawn li", has_text="2999-07-01 18:00-04:00 (America/New_York)").wait_for()
        assert (page.input_value("#rules"), page.input_value("#variant_name")) == ("own", "wasp")
        page.fill("#starts", "2999-03-10T02:30")  # the second Sunday of March
        page.locator("#drawn .ill").wait_for()
        assert "does not exist in America/New_York" in page.locator("#drawn").inner_text()
        page.fill("#starts", "2999-07-01T18:00")
        page.locator("#drawn .well").wait_for()
        page.click("button:has-text('Create')")
        page.wait_for_url(f"**/me/contests/{name}")
    made = client.tournament(name)
    assert (made.rules.name, made.due_at.isoformat()) == ("wasp", "2999-07-01T22:00:00+00:00")
    client.cancel(name)


def test_two_stages_are_chosen_with_a_cut_between_them(chromium, house) -> None:
    client, _, visitor = house.organiser()
    name = f"cup-{uuid.uuid4().hex[:8]}"
    narrow = {"viewport": {"width": 360, "height": 800}, "locale": "de-DE"}
    with opened(chromium, house, "/me/new-contest", visitor.cookies, **narrow) as page:
        page.fill("#name", name)
        page.select_option("#format", "groups")
        page.select_option("#then", "single_elimination")
        page.fill("#take", "99")
        page.locator("#drawn .ill").wait_for()
        assert "stage 2.take: at most 64 can play" in page.locator("#drawn").inner_text()
        page.fill("#take", "8")
        page.fill("#size", "6")
        page.locator("#drawn pre", has_text="size = 6").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.click("button:has-text('Anlegen')")
        page.wait_for_url(f"**/me/contests/{name}")
    groups, cup = parse_spec(client.tournament(name).spec_toml).stages
    assert (groups.format, groups.shown["size"]) == ("groups", 6)
    assert (cup.format, cup.seeds, cup.take) == ("single_elimination", "previous", 8)
    client.cancel(name)


@pytest.fixture(scope="module")
def seen(house):
    """Return pages: paths with the cookies of the organiser, of an author, or of nobody."""
    services = house.services
    author, account, own = house.author()
    organiser, _, visitor = house.organiser()
    name, draft = f"autumn-cup-{account[-4:]}", f"winter-cup-{account[-4:]}"
    top = "[schedule]\nprotest_minutes = 60"
    for one in (name, draft):
        organiser.create(SPEC.format(**{**DEFAULTS, "name": one, "top": top, "cap": 10}))
        organiser.open(one)
        organiser.edit(one, SPEC.format(**{**DEFAULTS, "name": one, "top": top, "cap": 20}))
    bots = [services.bot(policy, author) for policy in ("first", "random", "crash")]
    for bot in bots:
        author.enter(name, bot)
    organiser.start(name)
    play_all(services, name)
    author.file_protest(name, bots[0], "match 1.1.1 was played while the host was down, which the log shows")
    organiser.answer_protest(name, 1, "the host was up all day", accepted=False)
    author.file_protest(name, bots[1], "the programs of the other two are equal to the last byte")
    return (
        (f"/me/new-contest?copy={name}", visitor.cookies), (f"/me/contests/{name}", visitor.cookies),
        (f"/me/contests/{draft}/edit", visitor.cookies), (f"/me/contests/{name}", own.cookies),
        (f"/contests/{name}", {}), (f"/contests/{draft}", {}),
        (f"/me/contests/{name}/fairness", visitor.cookies),
    )  # fmt: skip


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("language", ["en", "de"])
def test_pages_fit_have_no_serious_finding_and_are_looked_at(
    chromium, house, seen, tmp_path: Path, width: int, language: str
) -> None:
    """Their screenshots lie in the test's folder."""
    for number, (path, cookies) in enumerate(seen):
        address = f"{path}{'&' if '?' in path else '?'}lang={language}"
        size, locale = {"width": width, "height": 900}, {"en": "en-GB", "de": "de-DE"}[language]
        with opened(chromium, house, address, cookies, viewport=size, locale=locale) as page:
            for details in page.locator("details").all():
                details.evaluate("one => { one.open = true; }")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert find_serious(page) == [], path
            page.screenshot(path=tmp_path / f"{number}-{width}-{language}.png", full_page=True)
