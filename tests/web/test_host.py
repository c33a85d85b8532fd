"""The page answers to its own names: no web site reads it in a visitor's browser under another."""

import pytest

from services.web.http.host import list_names, read_name


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("arena.example", "arena.example"),
        ("ARENA.example.:443", "arena.example"),
        ("[::1]:7100", "::1"),
        ("127.0.0.1", "127.0.0.1"),
        ("", ""),
        ("arena.example:port", ""),
        ("me@arena.example", ""),
        ("arena.example/127.0.0.1", ""),
    ],
)
def test_the_name_of_a_host_header_is_read_without_its_port(host, name) -> None:
    assert read_name(host) == name


def test_the_page_has_the_name_of_its_address_and_those_named_besides() -> None:
    assert list_names("https://arena.example:8443", "a.example b.example") == {
        "arena.example", "a.example", "b.example",
    }  # fmt: skip
    assert list_names("", "") == set()


@pytest.mark.sample(3)
@pytest.mark.parametrize("host", ["127.0.0.1:1", "[::1]:7100", "localhost", "LOCALHOST:7100", "10.0.0.7"])
def test_addresses_and_this_machine_are_taken(site, host) -> None:
    assert site.get("/healthz", host=host).status == 200


@pytest.mark.sample(3)
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example"])
@pytest.mark.parametrize("path", ["/", "/healthz", "/api/v1/tournaments", "/stream", "/login"])
def test_other_names_are_refused_in_words(site, host, path) -> None:
    found = site.get(path, host=host, x_forwarded_host="localhost")
    assert found.status == 421
    assert "MAUMAU_PAGE_NAMES" in found.text
    assert found.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["", "a@localhost", "localhost:x"])
def test_a_host_that_can_be_none_is_refused_in_words(site, host) -> None:
    found = site.get("/", host=host)
    assert (found.status, "header Host" in found.text) == (400, True)
