"""Logging in: a code becomes a cookie, and nothing else does."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from maumau.errors import UnknownPageCode
from services.web.http.flow import LASTS, Flow, FlowCookies, begin_flow
from services.web.http.session import safe_target
from tests.support.kinds import one_of
from tests.web.conftest import opened_house

FOREIGN = {
    "another site": {"sec_fetch_site": "cross-site"},
    "another name of this site": {"sec_fetch_site": "same-site"},
    "a typed address": {"sec_fetch_site": "none"},
    "an old browser at another site": {"sec_fetch_site": "", "origin": "https://elsewhere.example"},
    "a page without an origin": {"sec_fetch_site": "", "origin": "null"},
    "a program that says nothing": {"sec_fetch_site": ""},
}


@pytest.fixture
def author(house):
    """Return a new author, not logged in: their client, and their browser."""
    client, _ = house.services.author()
    return client, house.visitor()


def test_a_code_becomes_a_cookie_that_scripts_and_other_sites_do_not_see(author) -> None:
    client, visitor = author
    answer = visitor.post("/login", {"code": client.create_page_code().code, "to": "/me"})
    assert (answer.status, answer.headers["location"]) == (303, "/me")
    (cookie,) = answer.cookies
    flags = {part.strip().partition("=")[0].lower() for part in cookie.split(";")[1:]}
    assert flags == {"httponly", "max-age", "path", "samesite"}
    assert "SameSite=strict" in cookie
    assert client.who().account_name in visitor.get("/me").words


def test_a_link_fills_the_form_and_logs_nobody_in(author) -> None:
    client, visitor = author
    code = client.create_page_code().code
    answer = visitor.get(f"/login?code={code}")
    assert f'value="{code}"' in answer.text
    assert not answer.cookies
    assert visitor.post("/login", {"code": code}).status == 303


def test_a_link_with_something_else_stays_text(author) -> None:
    _, visitor = author
    text = visitor.get("/login?code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E").text
    assert "<script>alert" not in text
    assert text.count("alert(1)") <= 1


def test_a_code_is_read_as_people_type_it(author) -> None:
    client, visitor = author
    code = client.create_page_code().code
    assert visitor.post("/login", {"code": f" {code.lower().replace('-', ' ')} "}).status == 303


def test_a_used_code_is_refused(author, house) -> None:
    client, visitor = author
    code = client.create_page_code().code
    assert visitor.post("/login", {"code": code}).status == 303
    other = house.visitor()
    answer = other.post("/login", {"code": code})
    assert answer.status == 400
    assert "already been used" in answer.words
    assert other.cookies == {}


def test_a_further_code_takes_the_place_of_the_first(author) -> None:
    client, visitor = author
    first, second = client.create_page_code().code, client.create_page_code().code
    assert visitor.post("/login", {"code": first}).status == 400
    assert visitor.post("/login", {"code": second}).status == 303


def test_the_code_of_a_revoked_token_is_refused(house) -> None:
    client, _ = house.services.author()
    child = client.with_token(client.create_token(label="lost").token)
    code = child.create_page_code().code
    lost = next(token for token in client.tokens() if token.label == "lost")
    client.revoke_token(lost.id)
    assert house.visitor().post("/login", {"code": code}).status == 400


def test_only_the_page_exchanges_codes(author) -> None:
    client, _ = author
    code = client.create_page_code().code
    with pytest.raises(Exception, match="Only the arena's page may do this"):
        client.redeem_page_code(code)


def test_a_session_ends_with_the_token_that_made_it(house) -> None:
    client, _ = house.services.author()
    laptop = client.with_token(client.create_token(label="laptop").token)
    visitor = house.log_in(laptop)
    assert visitor.get("/me").status == 200
    client.revoke_token(next(token.id for token in client.tokens() if token.label == "laptop"))
    answer = visitor.get("/me")
    assert (answer.status, answer.headers["location"]) == (303, "/login?to=%2Fme")
    assert visitor.cookies == {}


def test_who_logs_out_ends_every_copy_of_the_cookie(house) -> None:
    client, _, visitor = house.author()
    thief = house.visitor()
    thief.cookies = dict(visitor.cookies)
    assert visitor.send("/me", "/logout").headers["location"] == "/"
    assert visitor.cookies == {}
    assert thief.get("/me").headers["location"] == "/login?to=%2Fme"
    assert [token.label for token in client.tokens()] == [""]


def test_a_forged_cookie_is_refused_without_asking_anybody(house) -> None:
    _, _, visitor = house.author()
    ((name, value),) = visitor.cookies.items()
    token, _, seal = value.partition(".")
    flipped = ("1" if seal[0] == "0" else "0") + seal[1:]
    forged = (f"mm_{'x' * 43}.{seal}", f"{token}.{flipped}", token, f"{token}.", "mm_.", "\u20ac", "x" * 5000)
    calls = house.services.server.registry.get_sample_value
    counted = ("grpc_server_handled_total", {"grpc_method": "WhoAmI", "grpc_code": "UNAUTHENTICATED"})
    before = calls(*counted)
    for value in forged:
        thief = house.visitor()
        thief.cookies = {name: value.encode().decode("latin-1")}
        assert thief.get("/me").status == 303, value[:60]
    assert calls(*counted) == before


def test_two_pages_know_the_same_session(house, web_loop) -> None:
    _, account, visitor = house.author()
    with opened_house(web_loop, house.services) as other:
        elsewhere = other.visitor()
        elsewhere.cookies = dict(visitor.cookies)
        assert account in elsewhere.get("/me").words


def test_behind_tls_the_cookie_is_for_this_host_and_for_tls_alone(house, web_loop) -> None:
    client, _ = house.services.author()
    with opened_house(web_loop, house.services, "https://arena.example") as other:
        visitor = other.visitor()
        headers = {"sec_fetch_site": "", "origin": "https://arena.example"}
        (cookie,) = visitor.post("/login", {"code": client.create_page_code().code}, **headers).cookies
        assert cookie.startswith("__Host-maumau=")
        assert "Secure" in cookie
        assert visitor.get("/me").status == 200


@pytest.mark.parametrize("headers", one_of(2, FOREIGN.values()), ids=FOREIGN)
def test_what_another_site_sends_is_refused(house, headers) -> None:
    client, _, visitor = house.author()
    form_token = visitor.hidden("/me", "/logout")["form_token"]
    answer = visitor.post("/logout", {"form_token": form_token}, **headers)
    assert answer.status == 403
    assert visitor.get("/me").status == 200
    assert house.visitor().post("/login", {"code": client.create_page_code().code}, **headers).status == 403


def test_a_form_of_another_session_is_refused(house) -> None:
    _, _, visitor = house.author()
    _, _, other = house.author()
    theirs = other.hidden("/me", "/logout")
    for fields in (theirs, {}, {"form_token": ""}, {"form_token": "é"}):
        assert visitor.post("/logout", fields).status == 403
    assert visitor.get("/me").status == 200


@pytest.mark.parametrize(
    "wanted",
    one_of(3, [
        "//elsewhere.example", "https://elsewhere.example/me", "/\\elsewhere.example",
        "/me//elsewhere.example", "/me/../x", "/me/%2e%2e/logout",
        "/metoo", "/me\r\nSet-Cookie: x=1", "/me/\\..", "javascript:alert(1)", "/logout", "", "/me?x=//e",
    ]),
)  # fmt: skip
def test_a_login_leads_nowhere_else(author, wanted) -> None:
    client, visitor = author
    answer = visitor.post("/login", {"code": client.create_page_code().code, "to": wanted})
    assert answer.headers["location"] == "/me"
    assert list(visitor.cookies) == ["maumau"]


def test_a_login_leads_to_where_one_wanted_to_go() -> None:
    for wanted in ("/me", "/me/bots/my-bot", "/me/contests/a%20cup?at=3"):
        assert safe_target(wanted) == wanted


def test_nobody_keeps_a_copy_of_what_depends_on_the_cookie(house) -> None:
    _, _, visitor = house.author()
    for path in ("/me", "/login"):
        answer = visitor.get(path)
        assert answer.headers["cache-control"] == "private, no-store"
    kept = visitor.get("/me").headers
    assert "Cookie" in kept["vary"]
    assert "etag" not in kept
    assert kept["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in kept["content-security-policy"]


def test_public_pages_are_the_same_for_who_has_logged_in(house) -> None:
    _, account, visitor = house.author()
    here, there = visitor.get("/bots"), house.visitor().get("/bots")
    assert here.text == there.text
    assert account not in here.text


def test_a_session_on_the_page_is_never_an_admin_s(house) -> None:
    visitor = house.log_in(house.services.admin)
    token = visitor.cookies["maumau"].partition(".")[0]
    who = house.services.admin.with_token(token).who()
    assert (who.account_name, who.scopes) == ("admin", ("organiser",))
    with pytest.raises(Exception, match="Only authors may do this"):
        house.services.admin.with_token("mm_a-worker-of-these-tests").create_page_code()


def test_a_login_too_long_to_be_one_is_not_read(house) -> None:
    assert house.visitor().post("/login", {"code": "x" * 300_000}).status == 413


def test_a_code_that_nobody_made_is_unknown(house) -> None:
    page = house.services.admin.with_token("mm_the-page-of-these-tests")
    for typed in ("", "K7QF-2M9X", "\x00" * 8):
        with pytest.raises(UnknownPageCode, match="maumau page"):
            page.redeem_page_code(typed)


def test_a_replica_whose_clock_is_behind_takes_what_another_one_has_kept():
    cookies, found = FlowCookies("key", secure=False), []
    for ahead in (-2 * LASTS, -60, 60, 2 * LASTS):
        kept, answer = replace(begin_flow("/"), at=int(time.time()) + ahead), Response()
        cookies.write(answer, kept)
        cookie = answer.headers["set-cookie"].partition(";")[0].encode()
        asked = Request({"type": "http", "headers": [(b"cookie", cookie)]})
        found.append(cookies.read(asked, Flow) == kept)
    assert found == [False, True, True, False]
