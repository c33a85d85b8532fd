"""A friend at the table: by a link, whatever is done with it, in browsers without scripts."""

from __future__ import annotations

import html
import re

import pytest
from starlette.requests import Request

from maumau.errors import SeatTaken
from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.web.play import invitation
from services.web.play.invitation import Base, find_base
from tests.play.conftest import Guest, find_hidden, is_ready, open_page
from tests.support.arenas.engine import Calls
from tests.support.arenas.seat import Seat
from tests.support.waiting import until
from tests.web.visitor import READER, Visitor

JOIN = "/play/join"


def invite(host: Guest, rules: str = "mau_mau", **fields: str) -> list[str]:
    """Let a guest open a table for friends; return the links that the table's page shows."""
    made = host.send(f"/play?rules={rules}", "/play", {"calls": "bot", "friends": "1", **fields})
    assert made.status == 303, made.words
    host.at = made.headers["location"]
    return list_links(host)


def list_links(host: Guest) -> list[str]:
    found = re.findall(r'readonly value="([^"]+)"', host.get(host.at).text)
    return [html.unescape(one) for one in found]


def follow(link: str, friend: Visitor, **fields: str):
    """Open a link as a browser without scripts does: the whole of it is pasted into the form."""
    address, _, fragment = link.partition("#")
    assert (address.endswith(JOIN), bool(fragment)) == (True, True)
    return friend.send(JOIN, JOIN, {"invite": link, "calls": "bot", **fields})


@pytest.fixture
def friend(page):
    friend = Guest(page.port, "2")
    yield friend
    friend.leave()


def sit_down(link: str, friend: Guest) -> None:
    answer = follow(link, friend)
    assert answer.status == 303, answer.words
    friend.at = answer.headers["location"]


@pytest.mark.long
def test_two_browsers_play_a_deal_to_its_end(guest, friend) -> None:
    (link,) = invite(guest, "prsi_quick")
    assert "Waiting for your friends" in guest.get(guest.at).words
    sit_down(link, friend)
    assert friend.at == guest.at
    assert list_links(guest) == []

    def act_once() -> bool:
        for one in (guest, friend):
            page = one.get(one.at)
            if is_ready(page) and "data-choice" in page.text:
                assert one.choose(page).status == 303
                return False
        return 'class="result"' in guest.get(guest.at).text

    for _ in range(3000):
        if act_once():
            break
    words = [one.get(one.at).words for one in (guest, friend)]
    assert sorted("You have won!" in one for one in words) == [False, True]
    assert "again-button" not in friend.get(friend.at).text
    again = guest.send(guest.at, f"{guest.at}/again")
    guest.at = again.headers["location"]
    assert len(list_links(guest)) == 1


def test_a_bot_and_two_friends_come_to_one_table(guest, friend, page) -> None:
    links = invite(guest, seats="4", friends="2")
    assert len(set(links)) == 2
    third = Guest(page.port, "3")
    for link, one in zip(links, (friend, third), strict=True):
        sit_down(link, one)
    people = (guest, friend, third)
    until(lambda: any("data-choice" in one.get(one.at).text for one in people))
    seats = {one.cookies["maumau-seat"].split(":")[1] for one in people}
    assert len(seats) == 3
    third.leave()
    until(lambda: "leaves the table" in friend.get(friend.at).text)
    assert 'class="result"' not in friend.get(friend.at).text


def test_a_link_is_for_one_person_who_may_open_it_again(guest, friend, page) -> None:
    (link,) = invite(guest)
    sit_down(link, friend)
    again = follow(link, friend)
    assert (again.status, again.headers.get("location")) == (303, friend.at)
    other = follow(link, Visitor(page.port))
    assert (other.status, "Somebody else has used this link already" in other.words) == (409, True)
    german = Visitor(page.port)
    refused = german.send(JOIN, JOIN, {"invite": link}, accept_language="de")
    assert "Diesen Link hat schon jemand benutzt." in refused.words


def test_a_used_link_shows_its_hand_to_nobody_else(arena, guest, friend) -> None:
    (link,) = invite(guest)
    sit_down(link, friend)
    token = link.partition("#")[2]
    until(lambda: "data-choice" in guest.get(guest.at).text + friend.get(friend.at).text)
    for who in ("", arena.author()[0].token):
        engine = Calls(arena.address, who, engine_pb2, engine_pb2_grpc.EngineServiceStub)
        with pytest.raises(SeatTaken):
            engine.GetView(seat_token=token)
        seat = Seat(engine, token)
        with pytest.raises(SeatTaken):
            seat.wait("seated")
    assert friend.get(friend.at).status == 200
    friend.leave()
    until(lambda: "You have won!" in guest.get(guest.at).words)


def test_a_link_to_a_table_that_has_ended_says_so(guest, friend, page) -> None:
    (link,) = invite(guest)
    sit_down(link, friend)
    friend.leave()
    assert (
        "You have won!"
        in until(lambda: found if "won" in (found := guest.get(guest.at)).words else None).words
    )
    over = follow(link, Visitor(page.port))
    assert (over.status, "The deal at this table is over." in over.words) == (409, True)


def test_a_host_who_leaves_before_the_friend_comes_ends_the_table(guest, friend) -> None:
    (link,) = invite(guest)
    guest.leave()
    answer = follow(link, friend)
    assert answer.status == 409
    assert re.search(r"has expired, as the table has ended: [AB] left\.", answer.words)
    german = friend.send(JOIN, JOIN, {"invite": link}, accept_language="de").words
    assert re.search(r"denn der Tisch ist geschlossen: Platz [AB] ist gegangen\.", german)


def test_a_link_that_nobody_follows_expires(arena, guest) -> None:
    engine = Calls(arena.address, READER, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = engine.CreateTable(rules={"name": "prsi"}, seats=2, guest="ab" * 16, time={"join_ms": 100})
    until(lambda: engine.GetTable(table_id=made.table.id).table.words)
    answer = guest.send(JOIN, JOIN, {"invite": made.seat_tokens[0]})
    assert (answer.status, "has expired, as the table has ended: nobody came to A, B." in answer.words) == (
        409,
        True,
    )


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        ("", 400, "This is not an invitation."),
        ("http://127.0.0.1/play/join", 400, "This is not an invitation."),
        (f"#table_{'0' * 26}/0/{'x' * 43}", 404, "There is no table for this link any more"),
        ("#" + "x" * 3000, 400, "This is not an invitation."),
        ("#table_1/0/<b>bold</b>xxxxxxxxxxxxxxx", 400, "This is not an invitation."),
    ],
)
def test_what_is_no_invitation_is_refused_in_words(guest, given, status, words) -> None:
    answer = guest.send(JOIN, JOIN, {"invite": given})
    assert (answer.status, words in answer.words) == (status, True)
    assert "<b>bold" not in answer.text


def test_a_link_of_which_a_part_is_missing_is_refused(guest, friend) -> None:
    (link,) = invite(guest)
    answer = follow(link[:-1], friend)
    assert (answer.status, "a part of the link is missing" in answer.words) == (404, True)


def test_the_token_is_in_the_fragment_alone_and_only_its_host_sees_it(guest, friend, arena) -> None:
    (link,) = invite(guest)
    token = link.partition("#")[2]
    secret = token.split("/")[2]
    assert secret in guest.get(guest.at).text
    sit_down(link, friend)
    for one, path in ((guest, guest.at), (friend, friend.at), (friend, guest.at.replace("play", "tables"))):
        assert secret not in one.get(path).text
    assert "maumau-guest" in friend.cookies


def test_an_account_comes_by_its_name_and_hostile_names_are_text(arena, page) -> None:
    hostile = '<img src=x onerror=alert(1)>"{{7*7}}'
    engine = Calls(arena.address, READER, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = engine.CreateTable(rules={"name": "prsi"}, seats=2, guest="ac" * 16, names=[hostile, ""])
    guest = Guest(page.port)
    sit_down(f"http://x{JOIN}#{made.seat_tokens[0]}", guest)
    _, name, browser = page.author()
    fields = {**browser.hidden(JOIN, JOIN), "invite": made.seat_tokens[1]}
    assert browser.post(JOIN, {**fields, "form_token": "0" * 64}).status == 403
    assert browser.post(JOIN, fields).status == 303
    shown = browser.get(guest.at)
    assert (name in shown.words, "<img" in shown.text, html.escape(hostile)[:20] in shown.text) == (
        True,
        False,
        True,
    )
    engine.CloseTable(table_id=made.table.id)


def test_without_guests_a_friend_needs_an_account(arena, guest) -> None:
    (link,) = invite(guest)
    with open_page(arena, guests=False) as closed:
        stranger = closed.visitor()
        assert "You need an account to play in this arena." in stranger.get(JOIN).words
        assert stranger.post(JOIN, {"invite": link}).headers["location"].startswith("/login")


def test_forms_that_nobody_made_are_refused(guest, page) -> None:
    refused = guest.send("/play", "/play", {"seats": "3", "friends": "3"})
    assert (refused.status, "there is room for 2 friends" in refused.words) == (400, True)
    (link,) = invite(guest)
    stranger = Visitor(page.port)
    answer = stranger.post(JOIN, {"invite": link})
    assert (answer.status, "keeps no cookies" in answer.words) == (400, True)
    assert stranger.post(JOIN, {"invite": link}, sec_fetch_site="cross-site").status == 403
    cookie = guest.cookies["maumau-seat"]
    assert find_hidden(guest.get(guest.at))
    guest.cookies["maumau-seat"] = cookie.replace("~.", "~1:" + "x" * 43 + "~.")
    assert guest.get(guest.at).status == 404
    guest.cookies["maumau-seat"] = cookie


def _request(host: str) -> Request:
    name, _, port = host.partition(":")
    scope = {"type": "http", "scheme": "http", "path": "/", "query_string": b"", "method": "GET"}
    return Request({**scope, "headers": [(b"host", host.encode())], "server": (name, int(port or 80))})


@pytest.mark.parametrize(
    ("host", "page_url", "listens", "expected"),
    [
        ("127.0.0.1:7100", "", "127.0.0.1", Base("http://127.0.0.1:7100", is_local=True)),
        ("localhost:7100", "", "0.0.0.0", Base("http://192.168.1.7:7100", is_local=False)),
        ("arena.localhost", "", "", Base("http://arena.localhost", is_local=True)),
        ("192.168.1.7:7100", "", "0.0.0.0", Base("http://192.168.1.7:7100", is_local=False)),
        (
            "localhost:7100",
            "https://arena.example",
            "127.0.0.1",
            Base("https://arena.example", is_local=False),
        ),
    ],
)
def test_a_link_has_an_address_that_a_phone_can_open_if_there_is_one(
    monkeypatch, host, page_url, listens, expected
) -> None:
    monkeypatch.setattr(invitation, "find_own_address", lambda: "192.168.1.7")
    assert find_base(_request(host), page_url, listens) == expected


def test_where_no_phone_can_come_it_is_said(guest) -> None:
    invite(guest)
    assert "This address leads to this computer only" in guest.get(guest.at).words
    shown = guest.get(guest.at).text
    assert re.search(
        r'<div class="code" role="img" aria-label="QR code of the link"><svg[^>]* viewBox=', shown
    )
