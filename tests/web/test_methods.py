"""Methods that an address does not take: the answer names those that it does."""

from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry

from maumau.client.arena import Arena as People
from maumau.client.matchmaking import Matchmaking
from services.web.app import build_app
from services.web.http.session import LoginParts
from tests.support.fake import FakeArena
from tests.web.visitor import READER

METHODS = ("TRACE", "PUT", "DELETE", "PATCH", "NOSUCH")


@pytest.mark.parametrize("method", [*METHODS, "POST"])
@pytest.mark.parametrize("path", ["/api/v1/contests", "/api/v1/contests/cup/matches/1.1.1", "/api/v1"])
def test_the_web_api_takes_nothing_but_reads(site, path: str, method: str) -> None:
    """Whoever asks: no page of this arena has sent it."""
    reply = site.get(path, method)
    assert (reply.status, reply.headers["allow"].split(", ")[0]) == (405, "GET")
    assert reply.json["reason"] == "METHOD_NOT_ALLOWED"
    assert reply.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", METHODS)
def test_a_page_that_takes_a_form_names_that_method_too(site, method: str) -> None:
    reply = site.get("/login", method)
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD, POST")
    assert site.get("/contests", method).headers["allow"] == "GET, HEAD"
    assert site.get("/login", "POST").status == 403  # a form from elsewhere


def test_no_route_takes_another_method_and_the_api_takes_no_form() -> None:
    """By which `OwnForms` knows forms, whose origin it checks before anything is read."""
    with People("127.0.0.1:1", "127.0.0.1:1") as people, Matchmaking("127.0.0.1:1") as matchmaking:
        app = build_app(FakeArena(), CollectorRegistry(), LoginParts(people, matchmaking, READER, "", 1))
    routes = [one for one in app.router.routes if getattr(one, "methods", None)]
    assert {method for one in routes for method in one.methods} == {"GET", "HEAD", "POST"}
    own = {method for one in routes if one.path.startswith("/api/") for method in one.methods}
    described = {method.upper() for operations in app.openapi()["paths"].values() for method in operations}
    assert (own, described) == ({"GET", "HEAD"}, {"GET"})
