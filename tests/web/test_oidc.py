"""Logins at a provider: a real one opens and links accounts, and forged answers are refused in words."""

from __future__ import annotations

import time
from urllib.parse import parse_qs, urlsplit

import pytest

from bench.support.patience import patient
from services.web.http import provider as providers
from services.web.http.provider import Provider, ProviderParts
from tests.web.browser import find_serious
from tests.web.conftest import opened_house
from tests.web.provider import CLIENT, agree, forging, running_provider

PAGE = "http://127.0.0.1:1"  # only addresses that the provider is told begin so

pytestmark = pytest.mark.long


@pytest.fixture
def real(web_loop, services):
    """Yield a page whose people log in at a real provider."""
    with running_provider() as issuer:
        made = Provider(ProviderParts(issuer, CLIENT, "secret", "School", PAGE))
        with opened_house(web_loop, services, provider=made) as house:
            yield house


@pytest.fixture
def forger():
    with forging() as one:
        yield one


@pytest.fixture
def forged(web_loop, services, forger):
    """Yield a page whose provider a test forges."""
    made = Provider(ProviderParts(forger.issuer, CLIENT, "", "School", PAGE))
    with opened_house(web_loop, services, provider=made) as house:
        yield house


def come_back(visitor, subject, path="/login/oidc"):
    """Log in at the real provider; return what the page says to its answer, and the answer's address."""
    sent = visitor.get(path)
    assert sent.status == 303, sent.words
    asked = parse_qs(urlsplit(sent.headers["location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    back = agree(sent.headers["location"], subject).removeprefix(PAGE)
    return visitor.get(back), back


def join(visitor, subject, name):
    come_back(visitor, subject)
    return visitor.send("/login/oidc/new", "/login/oidc/new", {"name": name, "code": ""})


def test_somebody_new_gets_an_account_and_logs_in_again(real) -> None:
    visitor = real.visitor()
    page, _ = come_back(visitor, "ana")
    assert 'content="0;url=/login/oidc/new"' in page.text
    assert 'value="ana-maria"' in visitor.get("/login/oidc/new").text
    joined = visitor.send("/login/oidc/new", "/login/oidc/new", {"name": "ana-maria", "code": ""})
    assert joined.status == 200, joined.words
    assert "ana-maria" in visitor.get("/me").words
    other = real.visitor()
    page, back = come_back(other, "ana")
    assert 'content="0;url=/me"' in page.text
    assert other.get("/me").status == 200
    assert other.get(back).status == 403  # the answer counts once: its question is gone
    name = join(real.visitor(), "another", "ana-maria")
    assert (name.status, "already" in name.words) == (409, True)


def test_a_code_that_was_used_is_refused_though_the_browser_kept_its_question(real) -> None:
    visitor = real.visitor()
    visitor.get("/login")
    sent = visitor.get("/login/oidc")
    kept = dict(visitor.cookies)
    back = agree(sent.headers["location"], "twice").removeprefix(PAGE)
    assert visitor.get(back).status == 200
    visitor.cookies = kept
    again = visitor.get(back)
    assert (again.status, "does not accept the code" in again.words) == (403, True)


def test_an_account_takes_on_a_login_and_stays_blocked(real) -> None:
    client, name, visitor = real.author()
    come_back(visitor, "linked", "/me/logins/new")
    linked = visitor.send("/me/logins", "/me/logins/link")
    assert linked.headers["location"] == "/me/logins"
    assert [one.subject for one in client.logins()] == ["linked"]
    other = real.visitor()
    come_back(other, "linked")
    assert name in other.get("/me").words
    _, _, stranger = real.author()
    come_back(stranger, "linked", "/me/logins/new")
    taken = stranger.send("/me/logins", "/me/logins/link")
    assert (taken.status, "already belongs" in taken.words) == (403, True)
    admin = real.services.admin
    while found := admin.tokens(name):
        admin.revoke_token(found[0].id)
    assert other.get("/me").status == 303
    page, _ = come_back(real.visitor(), "linked")
    assert (page.status, "shut out" in page.words) == (403, True)
    german = real.visitor()
    sent = german.get("/login/oidc")
    back = agree(sent.headers["location"], "linked").removeprefix(PAGE)
    assert "das Konto ist gesperrt" in german.get(back, accept_language="de").words


def ask(visitor, forger, **given):
    """Begin a login, and answer it as the forger does."""
    sent = visitor.get("/login/oidc")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(sent.headers["location"]).query).items()}
    forger.nonce = asked["nonce"]
    answer = {"state": asked["state"], "code": f"code-{time.monotonic_ns()}"} | given
    return visitor.get("/login/oidc/back?" + "&".join(f"{name}={value}" for name, value in answer.items()))


def test_the_forger_is_believed_while_it_tells_the_truth(forged, forger) -> None:
    assert ask(forged.visitor(), forger).status == 200


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"nonce": "another"}, "claim nonce"),
        ({"nonce": None}, "claim nonce"),
        ({"iss": "https://elsewhere.example"}, "claim iss"),
        ({"aud": "another-client"}, "claim aud"),
        ({"aud": [CLIENT, "another-client"]}, "claim azp"),
        ({"exp": 1_000_000_000}, "has expired"),
        ({"exp": None}, "claim exp"),
        ({"sub": None}, "claim sub"),
        ({"sub": 7}, "claim sub"),
    ],
)
def test_a_forged_claim_is_refused_in_words(forged, forger, claims, words) -> None:
    forger.claims = claims
    page = ask(forged.visitor(), forger)
    assert (page.status, words in page.words) == (403, True), page.words


def test_a_forged_state_issuer_or_signature_is_refused_in_words(forged, forger) -> None:
    visitor = forged.visitor()
    assert "another browser" in ask(visitor, forger, state="forged").words
    assert "another browser" in forged.visitor().get("/login/oidc/back?state=x&code=y").words
    assert "another provider" in ask(visitor, forger, iss="https://elsewhere.example").words
    assert "has not logged you in" in ask(visitor, forger, code="").words
    forger.alg = "none"
    assert "signature" in ask(visitor, forger).words
    forger.alg = "RS256"
    forger.key = type(forger.key).generate_key(2048, {"kid": "first"})  # another key under a known name
    refused = ask(visitor, forger)
    assert (refused.status, "signature" in refused.words) == (403, True)


def test_keys_may_change(forged, forger, monkeypatch) -> None:
    monkeypatch.setattr(providers, "REST", 0.0)
    assert ask(forged.visitor(), forger).status == 200
    forger.key = type(forger.key).generate_key(2048, {"kid": "second"})
    forger.keys = [forger.key]
    assert ask(forged.visitor(), forger).status == 200


def test_a_provider_that_hangs_or_lies_about_its_name_blocks_nobody(forged, forger, monkeypatch) -> None:
    monkeypatch.setattr(providers, "SECONDS", 0.3)
    forger.released.clear()
    silent = forged.visitor().get("/login/oidc")
    assert silent.status == 503
    assert forged.visitor().get("/login").status == 200
    forger.released.set()
    monkeypatch.setattr(providers, "SECONDS", 60.0)
    monkeypatch.setattr(providers, "REST", 0.0)
    forger.name = "https://elsewhere.example"
    lying = forged.visitor().get("/login/oidc")
    assert (lying.status, "calls itself otherwise" in lying.words) == (403, True)
    forger.name = ""
    assert ask(forged.visitor(), forger).status == 200


def test_without_a_provider_there_is_no_such_page(house) -> None:
    assert house.visitor().get("/login/oidc").status == 404
    assert "/login/oidc" not in house.visitor().get("/login").text


def test_a_browser_comes_back_logged_in_from_another_site(chromium, web_loop, services) -> None:
    """The provider is another site for the browser: localhost, whereas the page is 127.0.0.1."""
    with running_provider() as issuer:
        made = Provider(ProviderParts(issuer, CLIENT, "secret", "School", PAGE))
        with opened_house(web_loop, services, provider=made) as house:
            made.parts = made.parts._replace(page_url=house.url)
            context = chromium.new_context(locale="en-GB")
            context.set_default_timeout(1000 * patient(20))
            page = context.new_page()
            try:
                page.goto(f"{house.url}/login")
                page.get_by_role("link", name="Log in with School").click()
                page.wait_for_url(f"{issuer}/**")
                page.get_by_placeholder("sub").fill("browser")
                page.get_by_role("button", name="Authorize").click()
                page.wait_for_url("**/login/oidc/new")
                assert find_serious(page) == []
                page.locator("#name").fill("from-a-browser")
                page.get_by_role("button", name="Open the account").click()
                page.get_by_role("link", name="My arena").last.click()
                page.wait_for_url("**/me")
                page.goto(f"{house.url}/me/logins")
                assert find_serious(page) == []
                page.get_by_role("link", name="Add a login with School").click()
                page.wait_for_url(f"{issuer}/**")
                page.get_by_placeholder("sub").fill("browser-too")
                page.get_by_role("button", name="Authorize").click()
                page.wait_for_url("**/me/logins")
                page.get_by_role("button", name="Add this login").click()
                page.get_by_text("browser-too", exact=True).wait_for()
            finally:
                context.close()
