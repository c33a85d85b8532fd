"""Mystery rules at the page: no address tells strangers or entrants of them before the reveal."""

from __future__ import annotations

import http.client
import re
import uuid
from typing import Any

import pytest

from bench.support.patience import patient
from maumau.errors import TrialPending
from services.web.words import TONGUES
from tests.support.waiting import until
from tests.tournament.test_mystery import MARKER, report_trial, spec
from tests.web.test_group_pages import list_addresses
from tests.web.visitor import House, Visitor

LISTS = (
    "/",
    "/contests",
    "/me",
    "/status",
    "/feeds/contests.atom",
    "/feeds/contests.ics",
    "/api/v1/contests",
)


@pytest.fixture(scope="module")
def author(house: House) -> tuple[Any, str, Visitor]:
    return house.author()


@pytest.fixture(scope="module")
def entrant(house: House, author: tuple[Any, str, Visitor]) -> str:
    return str(house.services.bot("first", author[0], rules=()))


@pytest.fixture(scope="module")
def cup(house: House, author: tuple[Any, str, Visitor], entrant: str) -> str:
    """Return an open contest that a bot has entered."""
    name = f"cup-{uuid.uuid4().hex[:8]}"
    house.services.admin.create(spec(name))
    house.services.admin.open(name)
    for client, bot in ((author[0], entrant), (house.services.admin, house.services.bot("random", rules=()))):
        with pytest.raises(TrialPending):
            client.enter(name, bot)
        report_trial(house.services)
        client.enter(name, bot)
    return name


def read_first(visitor: Visitor, path: str) -> str:
    """Return the beginning of a stream."""
    connection = http.client.HTTPConnection("127.0.0.1", visitor.port, timeout=patient(30))
    try:
        connection.request("GET", path)
        return connection.getresponse().read1(1 << 20).decode()
    finally:
        connection.close()


@pytest.mark.long
def test_no_address_tells_of_sealed_rules(house, author, cup) -> None:
    nobody, asked = house.visitor(), 0
    for shape in list_addresses():
        is_of_contest = "/contests/" in shape or shape.startswith("/embed")
        if not is_of_contest and (shape not in LISTS or shape.startswith("/stream")):
            continue
        path = shape.replace("{name}", cup)
        if path.startswith("/stream"):
            assert "match" in path or MARKER not in read_first(nobody, path), path
        else:
            for visitor in (nobody, author[2]):
                assert MARKER not in visitor.get(path).text, path
        asked += 1
    assert asked > 20


def test_the_page_says_that_its_rules_are_sealed_in_both_languages(house, cup) -> None:
    for language in ("en", "de"):
        words, page = TONGUES[language], house.visitor().get(f"/contests/{cup}?lang={language}").words
        assert words("mystery_rules") in page
        assert words("mystery_until_start") in page
        assert words("mystery_entry") in page
    assert house.services.admin.tournament(cup).mystery.commitment in page
    assert house.visitor().get(f"/contests/{cup}/rules").status in (404, 409)


def test_an_organiser_sees_the_rules_and_may_edit_and_copy_them(house, cup) -> None:
    visitor = house.log_in(house.services.admin)
    assert MARKER in visitor.get(f"/me/contests/{cup}").words
    assert f"{MARKER}_n = 4" in visitor.get(f"/me/contests/{cup}/edit").words
    assert "[mystery]" in visitor.get(f"/me/new-contest?copy={cup}").words


def test_an_author_sees_how_far_the_validation_is(house, author, cup, entrant) -> None:
    page = author[2].get(f"/me/contests/{cup}?lang=de").words
    assert f"{entrant} {TONGUES['de']('trial_passed')}" in re.sub(r"\s+", " ", page)


def test_the_page_shows_everything_after_the_reveal(house, cup) -> None:
    house.services.admin.start(cup)
    found = house.services.admin.tournament(cup).mystery
    until(lambda: found.salt in house.visitor().get(f"/contests/{cup}").words)  # pages are kept for a moment
    page = house.visitor().get(f"/contests/{cup}").words
    assert f"{MARKER}_n = 4" in page
    assert found.commitment in page
    assert "trial_3" in page
    for path in (f"/contests/{cup}/rules", f"/api/v1/contests/{cup}"):
        until(lambda at=path: MARKER in house.visitor().get(at).text)
