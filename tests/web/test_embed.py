"""Frames for other sites, and how a page is shown where its address is posted."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from bench.support.patience import patient
from maumau.client.answer import Round
from tests.support.fake import a_bot, a_line, a_match, a_set, a_standing, a_tournament

NAMES = ("greedy", "<script>alert(1)</script>", "rollout", "a-bot-with-a-name-as-long-as-they-may-be")
FRAMES = ("/embed/ladders/prsi", "/embed/contests/cup", "/embed/contests/cup/bracket")
PAGES = ("/", "/contests/cup", "/ladders/prsi", "/status", "/nowhere", "/embedded", "/feeds/contests.atom")


@pytest.fixture
def shown(site):
    """Return a site with a ladder of 25 bots and a finished contest of four."""
    arena = site.arena
    arena.contests = [a_tournament("cup", "finished", NAMES), a_tournament("soon", "open", NAMES[:2])]
    decided = a_match("1.1.1", 2, 3, NAMES[1:3], state="decided", winner=3, estimate=0.4, high=0.45)
    arena.games["cup"], arena.rounds["cup"] = [decided], (Round(1, "final", (decided,), ()),)
    arena.ranks["cup"] = [a_standing(n, n, bot, 60.0 - 30 * n) for n, bot in enumerate(NAMES, 1)]
    names = [*NAMES, *(f"bot-{n}" for n in range(5, 26))]
    arena.boards["prsi"] = [a_line(n, name, 200.0 - 9 * n) for n, name in enumerate(names, 1)]
    arena.all_bots, arena.sets = tuple(map(a_bot, NAMES)), {3: a_set(3)}
    return site


def read_policy(headers: dict[str, str]) -> dict[str, str]:
    """Return the parts of a Content-Security-Policy."""
    parts = (part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    return dict(parts)


@pytest.mark.sample(4)
@pytest.mark.parametrize("path", [*FRAMES, "/embed/contests/nix", "/embed/nothing"])
def test_a_frame_may_stand_anywhere_and_can_do_nothing(shown, path: str) -> None:
    found = shown.get(f"{path}?lang=de&theme=dark", cookie="lang=en")
    policy = read_policy(found.headers)
    assert (policy["frame-ancestors"], policy["form-action"], policy["default-src"]) == (
        "*",
        "'none'",
        "'none'",
    )
    assert "script-src" not in policy
    assert not {"x-frame-options", "set-cookie"} & set(found.headers)
    assert found.headers["cross-origin-resource-policy"] == "cross-origin"
    assert not re.search(r"<(?:script|form|input|button)\b", found.text)
    assert '<base target="_blank">' in found.text


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", PAGES)
def test_no_other_page_may_stand_in_a_frame(shown, path: str) -> None:
    found = shown.get(path)
    assert read_policy(found.headers)["frame-ancestors"] == "'none'"
    assert found.headers["x-frame-options"] == "DENY"


def test_a_ladder_has_as_many_lines_as_the_address_says(shown) -> None:
    for query, lines in {"": 10, "?top=3": 3, "?top=25": 25, "?top=0": 10, "?top=-1": 10, "?top=9e9": 10,
                         "?top=100000": 10, "?top=99999": 25, "?top=%C2%B2": 10}.items():  # fmt: skip
        page = shown.get(f"/embed/ladders/prsi{query}").text
        assert page.count('<th scope="row"') == lines, query
        assert (f"{25 - lines} more in the arena" in page) == (lines < 25)


def test_a_contest_has_its_table_and_its_bracket(shown) -> None:
    table = shown.get("/embed/contests/cup").text
    assert re.findall(r'<th scope="row".*?<bdi>(.*?)</bdi>', table) == [html.escape(name) for name in NAMES]
    assert "Winner: " in table
    bracket = shown.get("/embed/contests/cup/bracket?lang=de").text
    assert '<section class="round" id="round-1"><h3>Finale</h3>' in bracket.replace("Endspiel", "Finale")
    soon = shown.get("/embed/contests/soon").text
    assert soon.count("<li>") == 2
    assert "There is no bracket" in shown.get("/embed/contests/soon/bracket").text


def test_language_and_colours_are_those_of_the_address(shown) -> None:
    for query, language, theme in (
        ("?lang=de&theme=dark", "de", ' data-theme="dark"'),
        ("?lang=en&theme=light", "en", ' data-theme="light"'),
        ("?lang=xx&theme=pink%22", "en", ""), ("", "en", ""),
    ):  # fmt: skip
        for path in FRAMES:
            page = shown.get(path + query, cookie="lang=de").text
            assert f'<html lang="{language}"{theme}>' in page
    assert '<html lang="de">' in shown.get(FRAMES[0], accept_language="de").text
    assert 'lang="de"' in shown.get("/embed/contests/nix?lang=de").text


def test_a_frame_that_has_not_changed_is_not_sent_again(shown) -> None:
    first = shown.get(FRAMES[1])
    assert shown.get(FRAMES[1], if_none_match=first.headers["etag"]).status == 304
    head = shown.get(FRAMES[1], method="HEAD")
    assert (head.status, head.text, head.headers["etag"]) == (200, "", first.headers["etag"])


@pytest.mark.sample
@pytest.mark.parametrize(
    ("path", "frames"),
    [
        ("/contests/cup", FRAMES[1:]),
        ("/ladders/prsi", FRAMES[:1]),
        ("/contests/soon", ["/embed/contests/soon"]),
    ],
)
def test_a_page_says_how_to_embed_it(shown, path: str, frames: list[str]) -> None:
    for language, words in {"en": "How to embed it", "de": "Auf der eigenen Seite einbetten"}.items():
        page = shown.get(f"{path}?lang={language}").text
        assert words in page
        lines = [html.unescape(each) for each in re.findall(r"<pre[^>]*>(&lt;iframe.*?)</pre>", page)]
        addresses = [re.search(r'src="([^"]*)"', line)[1] for line in lines]
        assert addresses == [f"{shown.url}{frame}?lang={language}" for frame in frames]
        for address in addresses:
            assert shown.get(address.removeprefix(shown.url)).status == 200


def read_preview(page: str) -> dict[str, str]:
    """Return what a page says of itself where its address is posted."""
    return {
        name: html.unescape(value)
        for name, value in re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page)
    }


@pytest.mark.sample
@pytest.mark.parametrize(
    ("path", "title", "text"),
    [
        ("/contests/cup", "cup", "Contest, finished: Mau-Mau, 4 entrants, Winner: greedy"),
        ("/contests/soon", "soon", "Contest, entries open: Mau-Mau, 2 entrants"),
        ("/ladders/prsi", "Ladder prsi", "Ladder: Prší, 25 bots, greedy leads"),
        ("/bots/greedy", "greedy", "Bot by house, place 1 on the ladder prsi"),
        (
            "/contests/cup/matches/1.1.1/sets/3",
            "greedy \N{EN DASH} rollout",
            "A deal set of Mau-Mau, card by card: the same deal from every seat (set 3).",
        ),
    ],
)
def test_a_link_to_a_page_is_shown_with_what_it_is(shown, path: str, title: str, text: str) -> None:
    found = read_preview(shown.get(f"{path}?lang=en").text)
    assert found == {
        "title": title, "description": text, "type": "website", "url": shown.url + path,
        "site_name": "Maumau Arena", "locale": "en_GB",
    }  # fmt: skip
    assert read_preview(shown.get(f"{path}?lang=de").text)["locale"] == "de_DE"


@pytest.mark.long
def test_a_hostile_name_stays_in_its_place(shown) -> None:
    name = '"><script>alert(1)<b>'
    shown.arena.contests = [a_tournament(name, "finished", NAMES)]
    shown.arena.ranks[name] = shown.arena.ranks["cup"]
    page = shown.get("/contests/%22%3E%3Cscript%3Ealert(1)%3Cb%3E").text
    assert read_preview(page)["title"] == name
    assert "<script>alert" not in page
    line = html.unescape(re.search(r"<pre[^>]*>(&lt;iframe.*?)</pre>", page)[1])
    assert line.count("<") == 2
    assert html.unescape(re.search(r'title="([^"]*)"', line)[1]) == name


@contextmanager
def elsewhere(body: str) -> Iterator[str]:
    """Yield the address of another site, whose only page has this body."""

    class OtherSite(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), OtherSite) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.long
@pytest.mark.parametrize("width", [300, 600, 1000])
def test_a_frame_fits_on_another_site(chromium, shown, width: int) -> None:
    """A page of another origin shows each frame, none too wide, and none of the usual pages."""
    usual = "/contests/cup"
    body = "".join(
        f'<iframe width="{width}" height="480" title="{path}" src="{shown.url}{path}"></iframe>'
        for path in (*FRAMES, usual)
    )
    context = chromium.new_context(viewport={"width": 1200, "height": 700})
    context.set_default_timeout(1000 * patient(20))
    try:
        page = context.new_page()
        with elsewhere(body) as address:
            page.goto(address)
            for path in FRAMES:
                page.frame_locator(f'iframe[title="{path}"]').locator("h1").wait_for()
                (inside,) = [frame for frame in page.frames if frame.url.endswith(path)]
                assert inside.evaluate("document.documentElement.scrollWidth") <= width
            assert not [frame for frame in page.frames if frame.url == f"{shown.url}{usual}"]
        assert context.cookies() == []
    finally:
        context.close()
