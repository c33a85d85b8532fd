"""Webhooks on the page: made with a secret that is shown once, tried, removed."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import create_engine, text

from services.registry.domain.channel import make_key, name_confirmation, name_end
from services.registry.domain.webhook import KINDS
from services.web.words import WORDS
from services.web.words.people.webhook import EVENTS
from services.web.words.services.told import translate_words
from tests.web.test_group_pages import new_name, spec

URL = "https://bots.example/maumau"


def add(visitor, **fields):
    hidden = visitor.hidden("/me/webhooks", "/me/webhooks")
    return visitor.post("/me/webhooks", {**hidden, "url": URL, "kinds": "bot.refused", **fields})


def test_the_page_offers_every_event_in_both_languages() -> None:
    assert set(EVENTS) == set(KINDS)
    assert all(f"event_{kind}" in WORDS for kind in KINDS)


@pytest.mark.long
def test_an_author_makes_tries_and_removes_a_webhook(house) -> None:
    client, _, visitor = house.author()
    assert "You have no webhooks yet." in visitor.get("/me/webhooks").words
    autumn, spring = new_name("autumn"), new_name("spring")
    for name in (autumn, spring):
        house.services.admin.create(spec(name, "public"))
    made = add(visitor, contests=f"{autumn}\n\n {spring} ")
    assert made.status == 200, made.words
    (secret,) = re.findall(r"whsec_[A-Za-z0-9+/]{43}=", made.text.replace("&#43;", "+"))
    (hook,) = client.webhooks()
    assert (hook.url, hook.kinds, hook.contests) == (URL, ("bot.refused",), (autumn, spring))
    place = f"/me/webhooks/{hook.id}"
    assert secret not in visitor.get(place).text.replace("&#43;", "+")
    assert URL in visitor.get("/me/webhooks").words
    assert visitor.send(place, f"{place}/test").headers["location"] == place
    assert "Test" in visitor.get(place, accept_language="de").words
    assert visitor.send(place, f"{place}/remove").headers["location"] == "/me/webhooks"
    assert client.webhooks() == ()
    assert visitor.get(place).status == 404


def test_a_contest_that_one_does_not_see_cannot_be_followed(house) -> None:
    group, hidden = new_name("class"), new_name("cup")
    never = f"{hidden[:-4]}zzzz"
    teacher, account, _ = house.author()
    house.services.admin.set_member(group, account, "organiser")
    teacher.create(spec(hidden, "group", group))
    client, _, visitor = house.author()
    answers = [add(visitor, contests=name) for name in (hidden, never)]
    assert [one.status for one in answers] == [404, 404]
    texts = [one.text.replace(name, "X") for one, name in zip(answers, (hidden, never), strict=True)]
    assert drop_form_fields(texts[0]) == drop_form_fields(texts[1])
    assert client.webhooks() == ()


def drop_form_fields(text: str) -> str:
    """Return a page without what differs each time that it is made."""
    return re.sub(r"request_[0-9a-f]{24}", "", text)


def test_what_cannot_be_one_is_refused_in_german(house) -> None:
    _, _, visitor = house.author()
    hidden = visitor.hidden("/me/webhooks", "/me/webhooks")
    answer = visitor.post(
        "/me/webhooks", {**hidden, "url": "https://10.0.0.1/", "kinds": "bot.fault"}, accept_language="de"
    )
    assert answer.status == 400
    assert "ihr Rechner hat keine öffentliche Adresse" in answer.words
    assert add(visitor, kinds="").status == 400


def test_problems_of_webhooks_are_german() -> None:
    for words in (
        "it answers 503", "it answers 302: redirects are not followed", "no answer within 15 s",
        "the answer is not HTTP", "webhooks may not use port 22 here",
        "its host is not a public address, and the arena tells no others",
        "the mail server did not take it", "no connection, or no valid answer",
        "this arena sends no mail",
        "outside of the arena's own networks it must have a scheme with TLS",
    ):  # fmt: skip
        told, is_german = translate_words(words, "de")
        assert is_german
        assert told != words


def confirm_by_hand(house, hook_id: str) -> tuple[str, str]:
    """Make a webhook a mail address that waits to be confirmed; return the links of its mail."""
    engine, until = create_engine(house.services.settings.database("registry")), 1 << 45
    with engine.begin() as connection:
        given = {"id": hook_id, "until": until, "url": f"mailto:{hook_id}@example.org"}
        words = "UPDATE webhook SET url = :url, confirm_until = :until, language = 'de' WHERE id = :id"
        connection.execute(text(words), given)
        read = text("SELECT secret FROM webhook WHERE id = :id")
        secret = connection.execute(read, {"id": hook_id}).scalar_one()
    engine.dispose()
    confirm = make_key(secret, name_confirmation(hook_id, until))
    stop = make_key(secret, name_end(hook_id))
    return f"/mail/confirm/{hook_id}/{confirm}", f"/mail/stop/{hook_id}/{stop}"


def test_links_of_mails_confirm_once_and_stop_without_a_login(house) -> None:
    client, _, _ = house.author()
    hook = client.create_webhook(URL).webhook
    confirm, stop = confirm_by_hand(house, hook.id)
    reader = house.visitor()
    assert client.webhooks()[0].state == "unconfirmed"
    assert "From then on" in reader.get(confirm).words
    assert client.webhooks()[0].state == "unconfirmed"  # opening a link changes nothing
    assert f"{hook.id}@example.org is confirmed." in reader.post(confirm, {}).words
    assert client.webhooks()[0].state == "active"
    again = reader.post(confirm, {}, accept_language="de")
    assert (again.status, "Dieser Link bestätigt nichts (mehr)" in again.words) == (404, True)
    assert reader.post(stop[:-1], {}).status == 404
    assert reader.post(stop, {}, sec_fetch_site="cross-site").status == 403
    assert "bekommt diese Mails nicht mehr" in reader.post(stop, {}, accept_language="de").words
    assert client.webhooks() == ()


def test_a_mail_program_unsubscribes_by_one_click_and_a_get_changes_nothing(house) -> None:
    client, _, _ = house.author()
    hook = client.create_webhook(URL).webhook
    _, stop = confirm_by_hand(house, hook.id)
    program = house.visitor()
    by_program = {"sec_fetch_site": "", "origin": ""}
    asked = {"List-Unsubscribe": "One-Click"}
    assert '<form method="post"' in program.get(stop).text
    assert len(client.webhooks()) == 1
    assert program.post(stop, asked, sec_fetch_site="", origin="https://evil.example").status == 403
    assert program.post(f"{stop}x", asked, **by_program).status == 404
    assert program.post(stop.replace("/stop/", "/confirm/"), asked, **by_program).status == 403
    assert len(client.webhooks()) == 1
    done = program.post(stop, asked, **by_program)
    assert (done.status, done.headers.get("location")) == (200, None)
    assert client.webhooks() == ()
    assert program.post(stop, asked, **by_program).status == 404
