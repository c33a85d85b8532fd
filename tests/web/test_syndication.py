"""Feeds and calendars: valid by their RFCs, bounded, true to the data, silent about what is hidden."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maumau.client.answer import SpecChange, SpecKeyChange
from maumau.errors import NotReleased, UnknownTournament
from services.web.delivery.render import Renderer, tell_match
from services.web.syndication import atom, ical
from services.web.words import TONGUES
from tests.support.fake import NOW, a_match, a_spec, a_standing, a_tournament

ATOM = "{http://www.w3.org/2005/Atom}"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
URN = re.compile(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
STAMP = re.compile(r"\d{8}T\d{6}Z")
ESCAPES = re.compile(r"\\(.)")
NAMES = ("greedy", "<script>alert(1)</script>", "rollout")


def after(hours: float) -> datetime:
    """Return a moment so many hours after the first contest was made."""
    return NOW + timedelta(hours=hours)


def read_atom(text: str) -> tuple[ET.Element, list[dict[str, str]]]:
    """Return a feed and its entries, after a check of what RFC 4287 demands (4.1.1, 4.1.2, 4.2.6, 3.3)."""
    feed = ET.fromstring(text)
    assert feed.tag == f"{ATOM}feed"
    for element in (feed, *feed.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
        assert URN.fullmatch(element.findtext(f"{ATOM}id"))
        assert MOMENT.fullmatch(element.findtext(f"{ATOM}updated"))
    assert feed.findtext(f"{ATOM}author/{ATOM}name")
    kinds = [link.get("rel") for link in feed.findall(f"{ATOM}link")]
    assert sorted(kinds) == ["alternate", "self"]
    entries = [
        {
            "href": entry.find(f"{ATOM}link").get("href"),
            **{name: entry.findtext(f"{ATOM}{name}") for name in ("id", "title", "updated", "summary")},
        }
        for entry in feed.findall(f"{ATOM}entry")
    ]
    assert len({entry["id"] for entry in entries}) == len(entries)
    moments = [entry["updated"] for entry in entries]
    assert moments == sorted(moments, reverse=True)
    assert feed.findtext(f"{ATOM}updated") == (moments[0] if moments else "1970-01-01T00:00:00.000Z")
    return feed, entries


def read_calendar(text: str) -> list[dict[str, str]]:
    """Return the events of a calendar, after a check of what RFC 5545 demands (3.1, 3.3.11, 3.4, 3.6)."""
    assert text.endswith("\r\n")
    assert not re.search(r"(?<!\r)\n|\r(?!\n)", text)
    folded = text.split("\r\n")[:-1]
    assert all(len(line.encode()) <= 75 for line in folded)
    lines = text.replace("\r\n ", "").split("\r\n")[:-1]
    assert (lines[0], lines[1], lines[-1]) == ("BEGIN:VCALENDAR", "VERSION:2.0", "END:VCALENDAR")
    assert sum(line.startswith("PRODID:") for line in lines) == 1
    assert any(line.startswith("BEGIN:V") for line in lines[1:])
    events: list[dict[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        assert colon, line
        assert re.fullmatch(r"[A-Z-]+", name), line
        if line == "BEGIN:VEVENT":
            events.append({})
        elif events and name not in ("END", "BEGIN"):
            assert name not in events[-1], line
            events[-1][name] = value
    for event in events:
        assert {"UID", "DTSTAMP", "DTSTART", "SEQUENCE", "SUMMARY"} <= set(event)
        for name in ("DTSTAMP", "DTSTART", "DTEND"):
            assert STAMP.fullmatch(event.get(name, "20260101T000000Z"))
        assert int(event["SEQUENCE"]) >= 0
        for name in ("SUMMARY", "DESCRIPTION"):
            assert not re.search(r"(?<!\\)[;,]", ESCAPES.sub("", event[name]))
            assert set(ESCAPES.findall(event[name])) <= set("\\;,n")
            event[name] = ESCAPES.sub(r"\1", event[name])
    assert len({event["UID"] for event in events}) == len(events)
    return events


@pytest.fixture
def held(site):
    """Return a site with a contest that is over, one that runs, and one that bots may enter."""
    spec = a_spec("next") + "\n[schedule]\nstarts = 2026-12-01T19:00:00+01:00\n"
    site.arena.contests = [
        a_tournament("next", "open", created_at=after(30), spec_toml=spec, closes_at=after(40)),
        a_tournament("cup", bots=NAMES, created_at=after(20), started_at=after(21)),
        a_tournament(
            "old", "finished", NAMES, started_at=after(1), ended_at=after(9), compared="d4", created_at=NOW
        ),
    ]
    site.arena.games["old"] = [
        a_match("1.1.1", 1, 2, NAMES[:2], state="decided", winner=1, rule="sequential", estimate=0.573,
                low=0.53, queued_at=after(1), decided_at=after(2)),
        a_match("1.2.1", 1, 3, (NAMES[0], NAMES[2]), state="decided", winner=0, rule="cap: not separated",
                queued_at=after(3), decided_at=after(4)),
        a_match("1.2.1", 1, 3, (NAMES[0], NAMES[2]), state="withdrawn", id="match_before", take=1,
                queued_at=after(2.5)),
    ]  # fmt: skip
    site.arena.ranks["old"] = [a_standing(n, n, bot, -30.0 * n) for n, bot in enumerate(NAMES, 1)]
    return site


def test_the_feed_of_all_contests_tells_what_happened_last(held) -> None:
    found = held.get("/feeds/contests.atom?lang=en")
    assert found.headers["content-type"] == "application/atom+xml; charset=utf-8"
    feed, entries = read_atom(found.text)
    assert [(one["title"], one["updated"][:13]) for one in entries] == [
        ("next is announced", "2026-11-24T06"),
        ("cup has started", "2026-11-23T21"),
        ("cup is announced", "2026-11-23T20"),
        ("old is decided: greedy wins", "2026-11-23T04"),
        ("old has started", "2026-11-23T01"),
        ("old is announced", "2026-11-23T00"),
    ]
    assert entries[0]["summary"] == "Mau-Mau. Bots may enter until 2026-11-24 16:00 UTC."
    assert {one["href"] for one in entries} == {
        f"{held.url}/contests/{name}" for name in ("next", "cup", "old")
    }
    own = [link.get("href") for link in feed.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert own == [f"{held.url}/feeds/contests.atom?lang=en"]


def test_the_feed_of_a_contest_tells_rounds_matches_and_podium(held) -> None:
    _, entries = read_atom(held.get("/feeds/contests/old.atom?lang=en").text)
    assert [one["title"] for one in entries] == [
        "old: the podium",
        "old is decided: greedy wins",
        "1.2.1: greedy and rollout are not separated after 300 sets",
        "Stage 1, round 2 has begun",
        "1.1.1: greedy is better than <script>alert(1)</script>, 57.3 % in 300 sets",
        "Stage 1, round 1 has begun",
        "old has started",
        "old is announced",
    ]
    assert entries[0]["summary"] == "1. greedy, 2. <script>alert(1)</script>, 3. rollout."
    assert entries[4]["href"] == f"{held.url}/contests/old/matches/1.1.1"


def test_ids_stay_in_every_language_and_under_every_name(held) -> None:
    english, german, by_id = (
        read_atom(held.get(f"/feeds/contests/{path}").text)
        for path in ("old.atom?lang=en", "old.atom?lang=de", "tournament_old.atom?lang=en")
    )
    assert [one["id"] for one in english[1]] == [one["id"] for one in german[1]]
    assert "old ist entschieden: greedy gewinnt" in [one["title"] for one in german[1]]
    assert english[0].findtext(f"{ATOM}id") != german[0].findtext(f"{ATOM}id")
    assert ET.tostring(by_id[0]).replace(b"tournament_old", b"old") == ET.tostring(english[0])
    everywhere = read_atom(held.get("/feeds/contests.atom?lang=en").text)[1]
    assert {one["id"] for one in everywhere if "old" in one["title"]} <= {one["id"] for one in english[1]}


@pytest.mark.parametrize("path", ["/feeds/contests.atom", "/feeds/contests/old.atom", "/feeds/contests.ics"])
def test_what_has_not_changed_is_not_sent_again(held, path: str) -> None:
    first = held.get(path)
    assert first.status == 200
    unchanged = held.get(path, if_none_match=first.headers["etag"])
    assert (unchanged.status, unchanged.text) == (304, "")
    head = held.get(path, method="HEAD")
    assert (head.status, head.text, head.headers["etag"]) == (200, "", first.headers["etag"])
    assert "set-cookie" not in held.get(f"{path}?lang=de").headers
    assert held.get(f"{path}?lang=xx").text == held.get(f"{path}?lang=en").text
    assert held.get(f"{path}?lang=de", if_none_match=first.headers["etag"]).status == 200


def test_a_reader_without_an_etag_is_told_by_the_moment_of_the_latest_entry(held) -> None:
    first = held.get("/feeds/contests/old.atom")
    assert parsedate_to_datetime(first.headers["last-modified"]) == after(4)
    assert (
        held.get("/feeds/contests/old.atom", if_modified_since=first.headers["last-modified"]).status == 304
    )
    for since in ("Mon, 23 Nov 2026 03:59:59 GMT", "Tue, 24 Nov 2026 00:00:00 GMT", "yesterday", ""):
        assert held.get("/feeds/contests/old.atom", if_modified_since=since).status == 200
    both = {"if_modified_since": first.headers["last-modified"], "if_none_match": 'W/"another"'}
    assert held.get("/feeds/contests/old.atom", **both).status == 200


def test_results_that_are_not_released_are_in_no_feed(held, monkeypatch) -> None:
    async def hidden(name: str, *_: object) -> None:
        raise NotReleased(f"The results of {name} are visible only to its organiser until it is decided.")

    held.arena.contests = [a_tournament("cup", started_at=after(1), release="end", matches_known=0)]
    monkeypatch.setattr(held.arena, "get_standings", hidden)
    monkeypatch.setattr(held.arena, "list_matches", hidden)
    for path in ("/feeds/contests.atom", "/feeds/contests/cup.atom"):
        _, entries = read_atom(held.get(path).text)
        assert [one["title"] for one in entries] == ["cup has started", "cup is announced"]
    for path in ("/embed/contests/cup", "/embed/contests/cup/bracket"):
        assert "Results are hidden until it is decided" in held.get(path).text


@pytest.mark.parametrize(
    "path",
    ["/feeds/contests/{}.atom", "/feeds/contests/{}.ics", "/embed/contests/{}", "/embed/contests/{}/bracket"],
)
def test_a_hidden_contest_is_answered_as_one_that_never_was(held, monkeypatch, path: str) -> None:
    """As the arena answers the page for a contest that the public may not see."""
    real = held.arena.get_tournament

    async def hiding(name: str) -> object:
        if name == "old":
            raise UnknownTournament("There is no tournament 'old'.")
        return await real(name)

    monkeypatch.setattr(held.arena, "get_tournament", hiding)
    hidden, never = held.get(path.format("old")), held.get(path.format("nix"))
    assert hidden.status == 404
    assert {**hidden.headers, "date": ""} == {**never.headers, "date": ""}
    assert hidden.text == never.text


def test_the_calendar_has_the_dates_of_every_contest(held) -> None:
    found = held.get("/feeds/contests.ics?lang=en")
    assert found.headers["content-type"] == "text/calendar; charset=utf-8"
    events = read_calendar(found.text)
    told = [(one["SUMMARY"], one["DTSTART"], one.get("DTEND"), one["SEQUENCE"]) for one in events]
    assert told == [
        ("next: entries close", "20261124T160000Z", None, "0"),
        ("next (Mau-Mau)", "20261201T180000Z", None, "0"),
        ("cup (Mau-Mau)", "20261123T210000Z", None, "1"),
        ("old (Mau-Mau)", "20261123T010000Z", "20261123T090000Z", "2"),
    ]
    assert [one["DTSTAMP"] for one in events] == [
        "20261124T060000Z", "20261124T060000Z", "20261123T210000Z", "20261123T090000Z",
    ]  # fmt: skip
    own = read_calendar(held.get("/feeds/contests/old.ics?lang=en").text)
    assert own == [events[3]]
    german = read_calendar(held.get("/feeds/contests.ics?lang=de").text)
    assert german[0]["SUMMARY"] == "next: Anmeldeschluss"
    assert [one["UID"] for one in german] == [one["UID"] for one in events]


def test_a_changed_date_has_the_next_number_and_the_same_uid(held) -> None:
    before = read_calendar(held.get("/feeds/contests/next.ics").text)[1]
    keys = (SpecKeyChange("schedule.starts", '"2026-12-01"', '"2026-12-02"'),)
    spec = a_spec("next") + "\n[schedule]\nstarts = 2026-12-02T19:00:00+01:00\n"
    changes = (
        SpecChange(after(31), "ada", keys),
        SpecChange(after(32), "ada", (SpecKeyChange("entries.most", "8", "9"),)),
    )
    held.arena.contests[0] = a_tournament(
        "later", "open", spec_toml=spec, spec_changes=changes, created_at=after(30), id="tournament_next"
    )  # under another name, so that nothing kept is shown
    (now,) = read_calendar(held.get("/feeds/contests/later.ics").text)
    assert (now["DTSTART"], now["SEQUENCE"], now["DTSTAMP"]) == ("20261202T180000Z", "1", "20261124T070000Z")
    assert now["UID"] == before["UID"]


def test_a_cancelled_contest_is_cancelled_in_the_calendar_and_told(held) -> None:
    spec = a_spec() + "\n[schedule]\nstarts = 2026-12-01T19:00:00+01:00\n"
    held.arena.contests = [a_tournament("gone", "cancelled", spec_toml=spec, ended_at=after(5))]
    (event,) = read_calendar(held.get("/feeds/contests/gone.ics").text)
    assert (event["STATUS"], event["SEQUENCE"], event["DTSTART"]) == ("CANCELLED", "1", "20261201T180000Z")
    _, entries = read_atom(held.get("/feeds/contests.atom").text)
    assert [one["title"] for one in entries] == ["gone is cancelled", "gone is announced"]


def test_an_empty_arena_has_a_valid_feed_and_calendar(site) -> None:
    assert read_atom(site.get("/feeds/contests.atom").text)[1] == []
    assert read_calendar(site.get("/feeds/contests.ics").text) == []


def test_thousands_of_contests_and_matches_make_no_longer_feed(site) -> None:
    site.arena.contests = [
        a_tournament(f"cup-{n}", started_at=after(-n), created_at=after(-n - 0.5)) for n in range(3000)
    ]
    site.arena.games["cup-0"] = [
        a_match(f"1.{1 + n // 50}.{1 + n % 50}", state="decided", id=f"match_{n}", queued_at=NOW,
                decided_at=after(n / 100))
        for n in range(3000)
    ]  # fmt: skip
    for path in ("/feeds/contests.atom", "/feeds/contests/cup-0.atom"):
        found = site.get(path).text
        assert len(read_atom(found)[1]) == 100
        assert len(found) < 100_000
    assert len(read_calendar(site.get("/feeds/contests.ics").text)) == 100


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/feeds/contests/%2e%2e%2f.atom", 404), ("/feeds/contests/%00.atom", 404),
        ("/feeds/contests/%C3%BC%20%3Cb%3E.ics", 404), ("/feeds/contests/old.atom.atom", 404),
        ("/feeds/contests/.ics", 404), ("/feeds/contests", 404), ("/feeds/contests.rss", 404),
        ("/feeds/contests/ol%64.atom", 200), ("/embed/ladders/%22%3E", 404), ("/embed/contests/%00", 404),
    ],
)  # fmt: skip
def test_odd_addresses(held, path: str, status: int) -> None:
    assert held.get(path).status == status
    assert held.get(path, method="HEAD").status == status


def test_pages_name_their_feeds(held) -> None:
    for path, feeds in {
        "/": ["contests"], "/contests": ["contests"], "/contests/old": ["contests", "contests/old"],
    }.items():  # fmt: skip
        page = held.get(f"{path}?lang=en").text
        links = re.findall(r'<link rel="alternate" type="([^"]+)"[^>]* href="([^"]+)"', page)
        wanted = [
            (kind, f"/feeds/{feed}.{end}?lang=en")
            for feed in feeds
            for kind, end in (("application/atom+xml", "atom"), ("text/calendar", "ics"))
        ]
        assert links == wanted
        for _, address in links:
            assert held.get(address).status == 200


def list_visible(text: str) -> list[str]:
    """Return the characters of a text that leave ink."""
    return [c for c in text if c.isprintable() and c != " "]


LINE = Renderer("/static")._env.from_string(
    '{% from "embed_how.html" import embed_how %}{{ embed_how(t, "http://a", [(name, "/embed/x")]) }}'
)
HOSTILE = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)


@pytest.mark.long
@given(HOSTILE, HOSTILE)
def test_no_text_breaks_a_feed(title: str, text: str) -> None:
    head = atom.FeedHead(("x",), title, "en", "http://a/feeds", "http://a/", "Maumau Arena")
    news = [atom.FeedItem((title, "1"), NOW, f"a{title}", text, "http://a/b")]
    _, (entry,) = read_atom(atom.write_feed(head, news).decode())
    assert list_visible(entry["title"]) == ["a", *list_visible(title)]


@given(HOSTILE, HOSTILE)
def test_no_text_breaks_a_calendar(title: str, text: str) -> None:
    made = ical.Event((title,), NOW, None, title, text, "http://a/b", 3, NOW)
    (event,) = read_calendar(ical.write_calendar(title, "en", [made]).decode())
    assert event["DTSTART"] == "20261123T000000Z"
    assert list_visible(event["SUMMARY"]) == list_visible(title)


@given(HOSTILE)
def test_no_bot_name_breaks_a_line_for_other_sites(name: str) -> None:
    """The line is escaped for this page, and what then stands in it for the other one."""
    page = LINE.render(t=TONGUES["en"], name=name)
    assert page.count("<") == len(re.findall(r"</?(?:details|summary|p|pre)\b", page))
    assert "<iframe" not in page


def test_a_match_is_told_as_on_the_page() -> None:
    walkover = a_match(state="decided", winner=2, rule="withdrawn", sets=0)
    assert tell_match(TONGUES["de"], walkover) == "rollout gewinnt gegen greedy ohne ein Spiel (Rückzug)"
