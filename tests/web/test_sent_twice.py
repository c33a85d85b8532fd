"""A form that is sent twice makes one change, and both answers lead to it."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.web.private.spec_form import DEFAULTS
from tests.web.test_mine import new_name


def send_at_once(visitor, path, fields, times=2):
    """Send a form by two clicks before the first is answered."""
    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(lambda _: visitor.post(path, fields), range(times)))


@pytest.fixture(scope="module")
def player(house):
    """Return an author with a bot that plays: client, browser, bot."""
    client, _, visitor = house.author()
    return client, visitor, house.services.bot("random", client)


@pytest.mark.long
def test_a_double_click_on_practice_makes_one_match(house, player) -> None:
    _, visitor, bot = player
    (other,) = house.services.field("random")
    fields = {**visitor.hidden("/me", "/me/practice"), "bot": bot, "against": other}
    fields |= {"rules": "mau_mau", "sets": "10"}
    answers = [*send_at_once(visitor, "/me/practice", fields), visitor.post("/me/practice", fields)]
    assert [answer.status for answer in answers] == [303, 303, 303], answers[0].words
    places = {answer.headers["location"] for answer in answers}
    assert len(places) == 1
    assert bot in visitor.get(places.pop()).words
    drawn_again = {**fields, **visitor.hidden("/me", "/me/practice")}
    assert visitor.post("/me/practice", drawn_again).headers["location"] != answers[0].headers["location"]


def test_a_contest_that_is_created_twice_is_one(house) -> None:
    client, _, visitor = house.organiser()
    name = new_name(client)
    fields = {**DEFAULTS, "name": name, **visitor.hidden("/me/new-contest", "/me/new-contest")}
    for answer in send_at_once(visitor, "/me/contests", fields):
        assert answer.headers.get("location") == f"/me/contests/{name}", answer.words
    drawn_again = {**fields, **visitor.hidden("/me/new-contest", "/me/new-contest")}
    assert visitor.post("/me/contests", drawn_again).status == 409
    assert sum(one.name == name for one in client.tournaments()) == 1


@pytest.fixture
def running(house, player):
    """Return a running contest with the player's bot: its name, its private page, the admin's browser."""
    client, _, bot = player
    name = house.services.create()
    house.services.admin.open(name)
    client.enter(name, bot)
    house.services.enter(name, house.services.field("random")[0])
    house.services.admin.start(name)
    return name, f"/me/contests/{name}", house.log_in(house.services.admin)


@pytest.mark.long
def test_a_step_sent_again_later_is_not_taken_again(house, running) -> None:
    name, path, visitor = running
    pause = visitor.hidden(f"{path}/pause", f"{path}/pause")
    assert [one.status for one in send_at_once(visitor, f"{path}/pause", pause)] == [303, 303]
    visitor.send(f"{path}/resume", f"{path}/resume")
    assert visitor.post(f"{path}/pause", pause).status == 303  # from the browser's history
    assert house.services.admin.tournament(name).state == "running"


@pytest.mark.long
def test_a_bot_is_withdrawn_after_it_was_asked_for(player, running) -> None:
    client, visitor, bot = player
    name, path, _ = running
    asked = f"{path}/withdraw?bot={bot}"
    assert asked in visitor.get(path).text
    page = visitor.get(asked)
    assert "The bot loses its remaining matches" in page.words
    assert f"/contests/{name}/matches/1.1.1" in page.text
    assert not any(entry.withdrawn for entry in client.tournament(name).entries)
    form = visitor.hidden(asked, f"{path}/withdraw")
    for answer in send_at_once(visitor, f"{path}/withdraw", form):
        assert answer.headers.get("location") == path, answer.words
    assert [one.bot_name for one in client.tournament(name).entries if one.withdrawn] == [bot]
    assert visitor.get(asked).status == 409


def test_a_form_that_the_page_did_not_draw_changes_nothing(player, running, house) -> None:
    _, visitor, bot = player
    name, path, _ = running
    token = visitor.hidden("/me", "/logout")["form_token"]
    for request_id in ("", "x", "request_" + "0" * 23, "request_" + "0" * 25, "é"):
        fields = {"form_token": token, "request_id": request_id, "bot": bot}
        answer = visitor.post(f"{path}/withdraw", fields)
        assert answer.status == 400
        assert "load the page again" in answer.words
    assert not any(entry.withdrawn for entry in house.services.admin.tournament(name).entries)


def has_no_session(form: str) -> bool:
    """Return True for the forms with which an account is opened."""
    return 'action="/join"' in form or 'action="/login/oidc/new"' in form


def test_every_form_that_changes_something_has_a_request_id() -> None:
    """The one for logging in has none: its code is good once, and a script sends it once.

    A guest who deals has no session, nor has whoever follows a link in a mail, which holds once, nor whoever
    opens an account with a code, nor a friend who sits down, which the same browser may do twice.
    Forms of a player's table have the token of the seat; an action names its question, and counts once.
    """
    for path in Path("services/web/templates").rglob("*.html"):
        for form in re.findall(r'<form method="post".*?</form>', path.read_text(), re.DOTALL):
            is_login = 'action="/login"' in form
            if path.name in {"play.html", "play_from.html", "play_today.html"} or has_no_session(form):
                assert 'name="request_id"' in form
                continue
            if path.name == "mail_link.html":
                assert "data-once" in form
                continue
            if path.name in {"play_table.html", "play_join.html"}:
                assert 'name="form_token"' in form
                continue
            assert is_login or "{{ token(session) }}" in form, path
            assert not is_login or "data-once" in form
