"""A person at the page's table: what counts, what is refused in words, who may play, and how much."""

from __future__ import annotations

import re

import pytest

from maumau.errors import BadRequest, BadSetting, NotAllowed, QuotaReached
from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.shared.base.settings import Settings
from services.supervisor.folder import Card
from services.supervisor.layout import Wiring
from services.web.play import pages
from tests.play.conftest import Guest, find_hidden, open_page, read_refusal
from tests.support.arenas.calls import refused
from tests.support.arenas.engine import Calls
from tests.web.visitor import READER

JSON = {"accept": "application/json"}
FORGED = "table_0000000000000000000000000a"


def test_the_first_page_and_the_list_of_tables_lead_to_play(page) -> None:
    for path in ("/", "/tables"):
        assert 'href="/play"' in page.visitor().get(path).text


def test_a_game_is_shown_with_its_sentence_seats_and_bots(guest) -> None:
    found = guest.get("/play?rules=shop_extended")
    assert "The shop's long rules: eights add up" in found.words
    assert re.findall(r'name="seats" value="(\d)"', found.text) == ["2", "3", "4", "5", "6"]
    assert re.findall(r'name="bot" value="(\w+)"', found.text)[0] == "rollout"
    german = guest.get("/play?rules=shop_extended", accept_language="de").words
    assert "Mit Bots und Freunden spielen" in german
    assert "am stärksten" in german


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"rules": "poker"}, "There is no such game here."),
        ({"seats": "7"}, "This game is played by 2 to 6 at a table."),
        ({"seats": "1e1"}, "This game is played by 2 to 6 at a table."),
        ({"seats": f"0002{0:05000}"}, "This game is played by 2 to 6 at a table."),
        ({"bot": "nobody"}, "There is no such house bot."),
        ({"request_id": "mine"}, "This form has no request id"),
    ],
)
def test_a_deal_that_cannot_be_is_refused_in_words(guest, fields, words) -> None:
    answer = guest.send("/play", "/play", fields)
    assert (answer.status, words in answer.words) == (400, True)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"rules": "poker"}, "Dieses Spiel gibt es hier nicht."),
        ({"seats": "7"}, "Dieses Spiel wird hier zu 2 bis 6 gespielt."),
        ({"request_id": "mine"}, "Diesem Formular fehlt seine Kennung (request id)"),
        ({"bot": "rollout"}, "Im Augenblick hat kein Bot Zeit."),
    ],
)
def test_a_deal_that_cannot_be_is_refused_in_german_alone(guest, fields, words) -> None:
    answer = guest.send("/play", "/play", fields, accept_language="de")
    (told,) = re.findall(r'<p class="ill" role="alert">(.*?)</p>', answer.text)
    assert told.startswith(words)
    assert "lang=" not in told


def test_a_table_of_an_account_is_ended_by_that_account_alone_and_this_is_said_in_german(page) -> None:
    _, _, visitor = page.author()
    made = visitor.send("/play?rules=mau_mau", "/play", {"calls": "bot"})
    at = made.headers["location"]
    token = re.search(r'name="form_token" value="([^"]*)"', visitor.get(at).text)[1]
    login = {name: visitor.cookies.pop(name) for name in list(visitor.cookies) if "seat" not in name}
    refused = visitor.post(f"{at}/leave", {"form_token": token}, accept_language="de")
    assert refused.status == 403
    assert "Nur das Konto, das diesen Tisch eröffnet hat, kann ihn schließen; melde dich" in refused.words
    assert "Only the account" not in refused.words
    visitor.cookies |= login
    assert visitor.post(f"{at}/leave", {"form_token": token}).status == 303


def test_a_bot_that_has_no_time_is_said_and_its_table_is_closed(arena, guest) -> None:
    answer = guest.send("/play", "/play", {"bot": "rollout"})  # this arena has none
    assert (answer.status, "No house bot has time just now" in answer.words) == (503, True)
    assert "rollout" not in guest.get("/tables").text.partition("Ended lately")[0]


def test_a_form_sent_twice_leads_to_one_table_and_an_action_counts_once(guest) -> None:
    fields = guest.hidden("/play", "/play")
    first, second = guest.post("/play", fields), guest.post("/play", fields)
    assert first.headers["location"] == second.headers["location"]
    guest.at = first.headers["location"]
    asked = guest.wait_for_turn()
    act = guest.pick(asked)
    answers = [guest.act(asked, act) for _ in range(5)]
    assert [one.status for one in answers] == [303] * 5
    assert guest.get(guest.at).status == 200


def test_what_the_rules_do_not_allow_is_refused_in_words_and_nothing_is_lost(guest) -> None:
    asked = guest.deal()
    answer = guest.act(asked, "react:5")
    assert (answer.status, "The rules do not allow that now." in answer.words) == (409, True)
    assert find_hidden(answer) == find_hidden(asked)
    unreadable = guest.act(asked, "<b>bold</b>")
    assert (unreadable.status, "cannot read that action" in unreadable.words) == (409, True)
    assert "<b>bold</b>" not in unreadable.text
    said = guest.post(f"{guest.at}/act", {**find_hidden(asked), "act": "react:5"}, **JSON)
    assert (said.status, read_refusal(said)["words"]) == (409, "The rules do not allow that now.")
    german = guest.post(
        f"{guest.at}/act", {**find_hidden(asked), "act": "react:5"}, **JSON, accept_language="de"
    )
    assert read_refusal(german)["words"] == "Das lassen die Regeln jetzt nicht zu."
    assert guest.choose(asked).status == 303


def test_before_the_deal_the_cut_is_asked_about_and_nobody_is_said_to_have_no_cards(guest) -> None:
    asked = guest.deal()
    while "You cut these cards." not in asked.words:  # where no card of the cut has an effect
        guest.leave()
        asked = guest.deal()
    assert "You may keep those that have an effect, up to three: which?" in asked.words
    assert "You have no cards" not in asked.words


def test_an_answer_to_an_earlier_question_is_refused(guest) -> None:
    asked = guest.deal()
    assert guest.choose(asked).status == 303
    guest.wait_for_turn()
    late = guest.act(asked, "pass")
    assert (late.status, "already been answered" in late.words) == (409, True)


@pytest.mark.sample(2)
@pytest.mark.parametrize("cursor", ["", "x", "-1", "99999999999"])
def test_a_form_without_its_question_is_refused(guest, cursor) -> None:
    asked = guest.deal()
    answer = guest.post(f"{guest.at}/act", {**find_hidden(asked), "cursor": cursor, "act": "draw"})
    assert answer.status == 400
    assert guest.act(asked, "").status == 400
    assert guest.act(asked, "7" * 301).status == 400


def test_forms_of_other_sites_and_of_other_tables_are_refused(guest, page) -> None:
    asked = guest.deal()
    fields = {**find_hidden(asked), "act": "draw"}
    foreign = guest.post(f"{guest.at}/act", fields, sec_fetch_site="cross-site")
    assert (foreign.status, "own pages" in foreign.words) == (403, True)
    assert page.visitor().post("/play", {"rules": "prsi"}, sec_fetch_site="cross-site").status == 403
    other = Guest(page.port)
    token = find_hidden(other.deal())["form_token"]
    assert guest.post(f"{guest.at}/act", {**fields, "form_token": token}).status == 403
    assert guest.post(f"{guest.at}/leave", {}).status == 403


def test_a_table_is_nobody_s_who_has_not_its_cookie(guest, page) -> None:
    guest.deal()
    stranger = page.visitor()
    for path in (guest.at, f"/stream{guest.at}", f"/play/{FORGED}", "/play/x%2F..%2F"):
        assert stranger.get(path).status == 404
    cookie = guest.cookies["maumau-seat"]
    head, _, seal = cookie.rpartition(".")
    stranger.cookies["maumau-seat"] = f"{head}.{'0' * 64}"
    assert stranger.get(guest.at).status == 404
    assert head.endswith(".g0")
    stranger.cookies["maumau-seat"] = f"{head.removesuffix('g0')}a0.{seal}"
    assert stranger.get(guest.at).status == 404
    stranger.cookies["maumau-seat"] = cookie
    assert stranger.get(guest.at).status == 200
    assert stranger.get(f"/play/{FORGED}").status == 404


def test_the_cookie_goes_to_its_table_alone_and_no_script_reads_it(guest) -> None:
    made = guest.send("/play", "/play")
    at = made.headers["location"]
    paths = {re.search("Path=([^;]+)", each)[1] for each in made.cookies}  # type: ignore[index]
    assert paths == {at, f"/stream{at}"}
    assert all("HttpOnly" in each and "SameSite=strict" in each for each in made.cookies)
    found = guest.get(at)
    assert found.headers["cache-control"] == "private, no-store"
    assert "script-src 'self'" in found.headers["content-security-policy"]
    token = guest.cookies["maumau-seat"].split(".")[0].replace(":", "/")
    assert token not in found.text


def test_who_leaves_ends_the_table_and_its_bots_are_free(arena, guest) -> None:
    asked = guest.deal("mau_mau", seats="4")
    table_id = guest.at.rpartition("/")[2]
    left = guest.post(f"{guest.at}/leave", {"form_token": find_hidden(asked)["form_token"]})
    assert (left.status, left.headers["location"]) == (303, "/play")
    assert "without a result" in guest.get(f"/tables/{table_id}").words
    assert guest.get(guest.at).status == 404


def test_a_deal_is_played_to_its_end_and_again_with_the_same_settings(guest) -> None:
    over = guest.play_to_the_end(guest.deal("prsi_quick", seats="3"))
    assert "Your place:" in over.words
    assert "forfeit" not in guest.get(f"/tables/{guest.at.rpartition('/')[2]}/record").text
    review = re.search(r'href="(/tables/[^"]+/review\?seat=[A-C])"', over.text)
    assert review
    assert "Whose decisions?" in guest.get(review[1]).words
    late = guest.act(over, "draw")
    assert (late.status, "The deal is over." in late.words) == (409, True)
    again = guest.send(guest.at, f"{guest.at}/again")
    assert again.status == 303
    assert again.headers["location"] != guest.at
    guest.at = again.headers["location"]
    assert guest.wait_for_turn().text.count('class="seat"') == 3


def test_a_person_who_has_logged_in_plays_under_the_account_s_name(page) -> None:
    _, name, browser = page.author()
    made = browser.send("/play", "/play")
    assert made.status == 303
    at = made.headers["location"]
    assert name in browser.get(at).words
    table_id = at.rpartition("/")[2]
    assert f"made by {name}" in browser.get(f"/tables/{table_id}").words
    forged = browser.post("/play", {**browser.hidden("/play", "/play"), "form_token": "0" * 64})
    assert forged.status == 403
    token = re.search(r'name="form_token" value="([^"]*)"', browser.get(at).text)[1]  # type: ignore[index]
    session = browser.cookies.pop("maumau")
    refused_to_leave = browser.post(f"{at}/leave", {"form_token": token})
    assert (refused_to_leave.status, "log in again" in refused_to_leave.words) == (403, True)
    browser.cookies["maumau"] = session
    assert browser.post(f"{at}/leave", {"form_token": token}).status == 303


def test_without_guests_only_who_has_logged_in_plays(arena) -> None:
    with open_page(arena, guests=False) as page:
        stranger = page.visitor()
        found = stranger.get("/play")
        assert "You need an account to play in this arena." in found.words
        assert 'action="/play"' not in found.text
        answer = stranger.post("/play", {"rules": "prsi", "request_id": f"request_{'0' * 24}"})
        assert (answer.status, answer.headers["location"].partition("?")[0]) == (303, "/login")
        _, _, browser = page.author()
        assert browser.send("/play", "/play").status == 303


@pytest.mark.long
def test_a_guest_opens_few_tables_in_a_row_and_a_class_behind_one_address_more(arena, monkeypatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(pages, "CLASS", pages.DEALS + 3)
    monkeypatch.setattr(pages, "CLASS_A_SECOND", 0)
    with open_page(arena, guests=True) as page:
        one = page.visitor()
        statuses = [one.send("/play", "/play").status for _ in range(pages.DEALS + 1)]
        assert statuses == [303] * pages.DEALS + [429]
        assert page.visitor().send("/play", "/play").status == 303
        others = [page.visitor().send("/play", "/play").status for _ in range(4)]
        assert others[-1] == 429


GUEST = "ab" * 16


def test_a_guest_has_no_more_open_tables_than_an_account(arena) -> None:
    engine = Calls(arena.address, READER, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = [engine.CreateTable(rules={"name": "prsi"}, seats=2, guest=GUEST) for _ in range(20)]
    with refused(QuotaReached, "20 open tables"):
        engine.CreateTable(rules={"name": "prsi"}, seats=2, guest=GUEST)
    engine.CreateTable(rules={"name": "prsi"}, seats=2, guest="cd" * 16)
    for one in made:
        engine.CloseTable(table_id=one.table.id)
    engine.CreateTable(rules={"name": "prsi"}, seats=2, guest=GUEST)


def test_guests_are_the_page_s_alone(arena) -> None:
    reader = Calls(arena.address, READER, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    client, _ = arena.author()
    author = Calls(arena.address, client.token, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    with refused(NotAllowed, "for guests only"):
        reader.CreateTable(rules={"name": "prsi"}, seats=2)
    with refused(NotAllowed, "Only the arena's page has guests"):
        author.CreateTable(rules={"name": "prsi"}, seats=2, guest=GUEST)
    with refused(BadRequest, "hexadecimal"):
        reader.CreateTable(rules={"name": "prsi"}, seats=2, guest="ada")
    own = author.CreateTable(rules={"name": "prsi"}, seats=2).table.id
    with refused(NotAllowed, "Only the player who opened a table"):
        reader.CloseTable(table_id=own)
    guests = reader.CreateTable(rules={"name": "prsi"}, seats=2, guest="ef" * 16).table.id
    with refused(NotAllowed, "Only the player who opened a table"):
        author.CloseTable(table_id=guests)
    reader.CloseTable(table_id=guests)


@pytest.mark.parametrize(("given", "said"), [({}, "on"), ({"MAUMAU_GUESTS": "off"}, "off")])
def test_an_embedded_arena_lets_guests_play_unless_it_is_told_otherwise(tmp_path, given, said) -> None:
    places = dict.fromkeys(("registry", "tournament", "engine", "matchmaking", "web"), "127.0.0.1:1")
    wiring = Wiring(**places, redis="", broker="", sandbox="auto", uploads="", image="")
    assert (
        wiring.build_environment(given, tmp_path, Card(token="t", worker_token="w", password="p"))[
            "MAUMAU_GUESTS"
        ]
        == said
    )
    assert Settings.read({}).guests == ""
    with pytest.raises(BadSetting, match="on, off"):
        Settings.read({"MAUMAU_GUESTS": "yes"})
