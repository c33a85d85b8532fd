"""Methods: HEAD reads what GET reads, and the refusal of any other names those that are taken."""

from __future__ import annotations

import http.client
import re

import pytest
from prometheus_client import CollectorRegistry

from maumau.client.arena import Arena as People
from maumau.client.matchmaking import Matchmaking
from services.web.app import build_app
from services.web.http.session import LoginParts
from tests.support.fake import FakeArena
from tests.web.visitor import READER

OWN = {"date", "set-cookie"}  # headers that differ between any two answers
METHODS = ("TRACE", "PUT", "DELETE", "PATCH", "NOSUCH")


@pytest.mark.parametrize("method", [*METHODS, "POST"])
@pytest.mark.parametrize("path", ["/api/v1/contests", "/api/v1/contests/cup/matches/1.1.1", "/api/v1"])
def test_the_web_api_takes_nothing_but_reads(site, path: str, method: str) -> None:
    """No page of this arena sends it."""
    reply = site.get(path, method)
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")
    assert reply.json["reason"] == "METHOD_NOT_ALLOWED"
    assert reply.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", METHODS)
def test_a_page_that_takes_a_form_names_that_method_too(site, method: str) -> None:
    reply = site.get("/login", method)
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD, POST")
    assert site.get("/contests", method).headers["allow"] == "GET, HEAD"
    assert site.get("/login", "POST").status == 403  # a form from elsewhere


def build_bare_app():
    """Return the pages of an empty arena, for the sake of their routes."""
    with People("127.0.0.1:1", "127.0.0.1:1") as people, Matchmaking("127.0.0.1:1") as matchmaking:
        return build_app(FakeArena(), CollectorRegistry(), LoginParts(people, matchmaking, READER, "", 1))


def list_addresses() -> list[str]:
    """Return an address for every route that is read, streams apart: what stands in it is not there."""
    app = build_bare_app()
    routes = [one.path for one in app.router.routes if "GET" in (getattr(one, "methods", None) or ())]
    return [re.sub(r"{[^}]*}", "1", path) for path in [*routes, *app.openapi()["paths"]]]


def assert_head_is_get(site, path: str, **headers: str) -> int:
    """Assert that HEAD has the status and the headers of GET, and no body; return the status."""
    whole, head = site.get(path, **headers), site.get(path, "HEAD", **headers)
    kept = [{name: value for name, value in one.headers.items() if name not in OWN} for one in (whole, head)]
    assert (head.status, kept[1], head.text) == (whole.status, kept[0], ""), path
    assert whole.status == 304 or int(head.headers["content-length"]) == len(whole.text.encode()), path
    return whole.status


def test_head_answers_like_get_at_every_address(site) -> None:
    paths = [path for path in list_addresses() if not path.startswith("/stream")]
    statuses = [assert_head_is_get(site, path) for path in paths]
    assert len(statuses) > 110
    assert set(statuses) == {200, 302, 303, 400, 403, 404}


def test_head_of_what_the_web_api_has_answers_like_get(site) -> None:
    for path in ("/api/v1/openapi.json", "/api/v1/contests", "/api/v1/contests?limit=0"):
        assert_head_is_get(site, path)
    etag = site.get("/api/v1/contests").headers["etag"]
    assert assert_head_is_get(site, "/api/v1/contests", if_none_match=etag) == 304


@pytest.mark.parametrize("path", ["/api/v1/openapi.json", "/help"])
def test_head_names_the_encoding_and_length_of_what_get_sends(site, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
    found = []
    for method in ("GET", "HEAD"):
        connection.request(method, path, headers={"accept-encoding": "gzip"})
        reply = connection.getresponse()
        found.append((reply.headers["content-encoding"], reply.headers["content-length"], len(reply.read())))
    connection.close()
    assert found == [("gzip", str(found[0][2]), found[0][2]), ("gzip", str(found[0][2]), 0)]


def test_head_of_a_stream_ends_at_once_and_watches_nothing(site) -> None:
    """So that the next request on the same connection is answered."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
    for path in ("/stream", "/healthz"):
        connection.request("HEAD", path)
        reply = connection.getresponse()
        assert (reply.status, reply.read()) == (200, b"")
    connection.close()


def test_no_route_takes_another_method_and_the_api_takes_no_form() -> None:
    """By which `OwnForms` knows forms, whose origin it checks before anything is read."""
    app = build_bare_app()
    routes = [one for one in app.router.routes if getattr(one, "methods", None)]
    assert {method for one in routes for method in one.methods} == {"GET", "HEAD", "POST"}
    own = {method for one in routes if one.path.startswith("/api/") for method in one.methods}
    described = {method.upper() for operations in app.openapi()["paths"].values() for method in operations}
    assert (own, described) == ({"GET", "HEAD"}, {"GET"})
