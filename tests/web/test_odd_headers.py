"""Headers with values that no browser sends: no page answers them with a fault of its own."""

from __future__ import annotations

import http.client
import itertools
import re
import socket
from email.utils import format_datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.requests import Request

from bench.support.patience import patient
from services.web.http.arrival import find_deadline
from services.web.http.host import read_name
from services.web.http.origin import is_own
from services.web.http.response import build_answer
from services.web.words import LANGUAGES, choose_language
from tests.support.fake import NOW, a_match, a_tournament

SERVICES = Path("services/web")
READS = re.compile(r'headers(?:\.get\(|\[)"([a-z-]+)"|"([a-z-]+)" in (?:request\.)?headers')
WRITTEN = {"allow", "retry-after", "cache-control", "etag", "last-modified", "location", "set-cookie", "vary"}
NAMES = (
    "accept", "accept-encoding", "accept-language", "content-length", "content-type", "cookie", "host",
    "if-modified-since", "if-none-match", "if-range", "last-event-id", "origin", "range", "sec-fetch-site",
    "traceparent", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host",
    "access-control-request-method", "access-control-request-headers",
)  # fmt: skip
"""Headers that the pages, or what they are built with, read."""
FAR = "Thu, 01 Jan 1970 00:00:00 +99999999999999999999"
ODD = (
    "",
    " ",
    "-1",
    "0x10",
    "1_0",
    "+5",
    "\xb2",
    "9" * 19,
    "9" * 5000,
    "1e999",
    "nan",
    "\xff\xfe",
    "\x7f",
    "a" * 9000,
    ";" * 3000,
    "," * 3000,
    "=" * 500,
    '"',
    "'",
    "%",
    "%ff%00",
    "\\",
    "../..",
    "//",
    "[",
    "http://[::1",
    "http://[",
    "http://[v1.x]",
    "http://a:99999",
    "http://a:b",
    "http://a@b@c",
    "http://\xb2",
    "null",
    "*",
    "None",
    FAR,
    FAR.replace("+", "-"),
    "Thu, 01 Jan 0000 00:00:00 GMT",
    "Thu, 31 Feb 2026 25:61:61 +2460",
    "Fri, 31 Dec 9999 23:59:59 -2359",
    "Mon, 01 Jan 0001 00:00:00 +2359",
    "9" * 400 + " Jan 1970 00:00:00 GMT",
    'W/"',
    'W/"' + "x" * 3000,
    "bytes=",
    "bytes=9-1",
    "bytes=\xb2-",
    "bytes=" + "0-1," * 900,
    "bytes=-" + "9" * 4999,
    "de;q=",
    "de;q=nan",
    "de;q=\xb2",
    "multipart/form-data; boundary=",
    "text/html; charset=idna",
    "chunked, x",
    "maumau-seat=x",
    'lang="\\999"',
    'lang="\\',
    "maumau-guest=" + "0" * 32 + "." + "\xe9" * 64,
    "for=x",
    "fe80::1%x",
)
SHARE = 3
"""Each header is sent one in so many of these values, and all headers together all of them."""
PATHS = (
    ("GET", "/feeds/contests.atom"), ("POST", "/login"), ("GET", "/api/v1/tournaments"), ("HEAD", "/"),
    ("GET", "/feeds/contests.ics"), ("POST", "/logout"), ("OPTIONS", "/api/v1/tournaments"),
)  # fmt: skip


def ask(port: int, method: str, path: str, name: str, value: str) -> int:
    """Return the status of a request with this header, in the bytes that the wire would have."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patient(20))
    try:
        connection.putrequest(method, path, skip_host=name == "host", skip_accept_encoding=True)
        given = {"content-type": "application/x-www-form-urlencoded", "content-length": "0", name: value}
        if method != "POST" and name != "content-length":
            del given["content-length"]
        for header, said in given.items():
            connection.putheader(header, said.encode("latin-1"))
        connection.endheaders()
        return connection.getresponse().status
    except (http.client.HTTPException, ConnectionError):  # the server has hung up
        return 400
    finally:
        connection.close()


@pytest.fixture
def known(site) -> int:
    """Return the port of a page that has a contest, so that its feeds have a date."""
    site.arena.contests = [a_tournament()]
    return site.port


def test_every_header_of_the_pages_is_tried_here() -> None:
    read = {
        name or other for path in SERVICES.rglob("*.py") for name, other in READS.findall(path.read_text())
    }
    assert {"origin", "if-modified-since", "transfer-encoding"} <= read
    assert read - WRITTEN - {"transfer-encoding"} <= set(NAMES)


@pytest.mark.long
def test_no_odd_value_of_a_header_is_a_fault_of_the_page(known) -> None:
    ways = itertools.cycle(PATHS)
    statuses = {
        (method, path, name, value[:60]): ask(known, method, path, name, value)
        for number, name in enumerate(NAMES)
        for value in ODD[number % SHARE :: SHARE]
        for method, path in [next(ways)]
        if not (name == "content-length" and value.isdigit())  # the server waits for that many bytes
    }
    assert {asked for asked, status in statuses.items() if status >= 500} == set()
    assert 200 in statuses.values()


def test_an_odd_date_or_origin_is_none(known) -> None:
    """The readers of these two raise more than ValueError says, and ValueError where none is awaited."""
    for value in ODD:
        assert ask(known, "GET", "/feeds/contests.atom", "if-modified-since", value) in (200, 400), value
        assert ask(known, "POST", "/login", "origin", value) in (400, 403), value


def make_request(name: str, value: str) -> Request:
    headers = [(name.encode(), value.encode("latin-1"))]
    return Request({"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers})


LATIN = st.text(st.characters(max_codepoint=255))


@pytest.mark.long
@settings(max_examples=50, deadline=None)
@given(LATIN | st.sampled_from(ODD) | st.builds("http://{}".format, LATIN))
def test_whatever_a_header_says_its_reader_answers(value) -> None:
    for name in ("if-none-match", "if-modified-since"):
        assert build_answer(make_request(name, value), "x", "text/plain", NOW).status_code in (200, 304)
    assert not is_own(Headers({"origin": value}), "http://arena.example") or "arena.example" in value
    assert find_deadline(Headers({"content-length": value})) >= 0
    assert choose_language(value, value) in LANGUAGES
    assert isinstance(read_name(value), str)


@settings(max_examples=30, deadline=None)
@given(st.datetimes())
def test_a_date_counts_at_its_very_moment_alone(moment) -> None:
    said = format_datetime(NOW.replace(microsecond=0), usegmt=False)
    assert build_answer(make_request("if-modified-since", said), "x", "text/plain", NOW).status_code == 304
    other = moment.strftime("%a, %d %b %Y %H:%M:%S +0000")
    assert build_answer(make_request("if-modified-since", other), "x", "text/plain", NOW).status_code in (
        200,
        304,
    )


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de; q=0.9", "de"),
        ("de;Q=0.5,fr", "fr"),
        ("de;q=0, nl;q=0.1", "nl"),
        ("de;q=0", "en"),
        ("fr;q=nan", "en"),
    ],
)
def test_weights_of_languages_are_read_as_rfc_9110_writes_them(accepted, language):
    assert choose_language("", accepted) == language


def test_who_sends_nonsense_on_a_stream_ends_it_for_nobody_else(site) -> None:
    """The server answers with a 400 in the middle of the stream, and can send nothing more there."""
    site.arena.contests = [a_tournament(state="running")]
    site.arena.games["cup"] = [a_match()]
    with socket.create_connection(("127.0.0.1", site.port), timeout=patient(20)) as odd:
        odd.sendall(b"GET /stream/contests/cup HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        assert odd.recv(100).startswith(b"HTTP/1.1 200")
        with site.watching("/stream/contests/cup?lang=en") as events:
            next(events)
            odd.sendall(b"\0\r\n\r\n" * 3)
            site.arena.games["cup"][0] = a_match(sets=400, estimate=0.5)
            site.change()
            assert "400" in next(events)["data"]["matches"]
