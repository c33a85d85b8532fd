"""Requests for parts of a download, and for what a reader may have: RFC 9110, 13 and 14."""

import re

import pytest

from services.web.public.wheel import name_wheel
from tests.web.visitor import Visitor

MOST_PARTS = 100  # of an answer
PART_BYTES = 300  # of the header of each


@pytest.fixture
def asset(site):
    """Return the address of a static file, the only kind of which the page sends parts, and its text."""
    (address,) = re.findall(r'src="(/static/[^"]+page.js)"', site.get("/").text)
    return address, site.get(address).text


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=3-9", 3, 10),
        ("BYTES = 3-9", 3, 10),
        ("bytes=5-", 5, None),
        ("bytes=-7", -7, None),
        ("bytes=0-" + "9" * 30, 0, None),
        ("bytes=-" + "9" * 30, 0, None),
        ("bytes=0-9,5-19", 0, 20),
        ("bytes=5-19,0-9,2-3", 0, 20),
        ("bytes=" + "0-,-1," * 49, 0, None),
    ],
)
def test_one_part_is_sent_as_it_is_asked_for(site, asset, asked, start, end):
    address, text = asset
    answer = site.get(address, range=asked)
    assert (answer.status, answer.text) == (206, text[start:end])
    first = start % len(text)
    content_range = f"bytes {first}-{first + len(answer.text) - 1}/{len(text)}"
    assert answer.headers["content-range"] == content_range


def test_parts_that_lie_apart_are_sent_as_parts(site, asset):
    address, text = asset
    answer = site.get(address, range="bytes=0-1,10-12,-1")
    assert answer.status == 206
    boundary = answer.headers["content-type"].partition("boundary=")[2]
    parts = re.split(rf"\r?\n?--{boundary}(?:--)?\r?\n?", answer.text)
    assert [part.partition("\r\n\r\n")[2] for part in parts if part] == [text[:2], text[10:13], text[-1]]
    assert int(answer.headers["content-length"]) == len(answer.text.encode())


@pytest.mark.parametrize(
    "asked",
    ["bytes=" + "0-,1-," * 3000, "bytes=" + ",".join(f"{n}-{n}" for n in range(0, 4000, 2)),
     "bytes=" + ",".join(f"{n}-{n}" for n in range(0, 2 * MOST_PARTS, 2))],
    ids=["overlapping", "apart", "most"],
)  # fmt: skip
def test_no_range_makes_an_answer_much_longer_than_the_file(site, asset, asked):
    address, text = asset
    answer = site.get(address, range=asked)
    assert len(answer.text) <= len(text) + MOST_PARTS * PART_BYTES
    assert answer.status in (200, 206, 400)


@pytest.mark.parametrize(
    ("asked", "status"),
    [("bytes=9999999-", 416), ("bytes=-0", 416), ("bytes=9-1", 400), ("bytes=--5", 416), ("bytes=a-b", 400),
     ("bytes=", 400), ("lines=0-1", 400), ("bytes=" + "9" * 5000 + "-", 400)],
)  # fmt: skip
def test_ranges_that_no_part_answers_are_refused(site, asset, asked, status):
    address, text = asset
    answer = site.get(address, range=asked)
    assert answer.status == status
    if status == 416:
        assert answer.headers["content-range"] in (f"bytes */{len(text)}", f"*/{len(text)}")


def test_a_part_is_sent_only_of_the_version_that_the_reader_has(site, asset):
    address, text = asset
    headers = site.get(address).headers
    etag = headers["etag"]
    for same in (etag, headers["last-modified"]):
        assert site.get(address, range="bytes=0-4", if_range=same).text == text[:5]
    for other in (
        f"W/{etag}",
        '"other"',
        "x" * 3000,
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "*",
        f"{etag}, {etag}",
    ):
        answer = site.get(address, range="bytes=0-4", if_range=other)
        assert (answer.status, answer.text) == (200, text)
    assert site.get(address, range="bytes=0-4", if_none_match=etag).status == 304


WHEEL = pytest.param(f"/install/{name_wheel()}", marks=pytest.mark.long)  # it is packed for the first reader
WHOLE = ["/feeds/contests.atom", "/api/v1/contests", WHEEL]


@pytest.mark.parametrize("path", ["/", *WHOLE])
def test_what_has_no_parts_is_sent_whole(site, path):
    visitor = Visitor(site.port)
    whole, answer = visitor.get(path), visitor.get(path, range="bytes=0-4,2-9")
    assert (answer.status, len(answer.text)) == (200, len(whole.text))
    assert "content-range" not in answer.headers


@pytest.mark.parametrize("path", WHOLE)
def test_a_reader_is_sent_nothing_that_he_has(site, path):
    visitor = Visitor(site.port)
    etag = visitor.get(path).headers["etag"]
    strong = etag.removeprefix("W/")
    many = ", ".join(f'"{n}"' for n in range(2000))
    for known in (etag, strong, "*", f'"a,b", {etag}', f'"a",{strong},"b"', f" , {etag},", f"{many}, {etag}"):
        answer = visitor.get(path, if_none_match=known)
        assert (answer.status, answer.text, answer.headers["etag"]) == (304, "", etag)
    for other in (strong.strip('"'), strong[:-1], '"*"', "W/*", "**", many, f'"a {etag[:-2]}', ","):
        assert visitor.get(path, if_none_match=other).status == 200, other
