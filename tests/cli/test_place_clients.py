"""Clients of an arena's services, and hosts that are the machine itself."""

from __future__ import annotations

from typing import Any

import pytest

from maumau.cli.shared import place
from maumau.errors import NoArena
from maumau.process.loopback import is_loopback

OLD = place.ArenaPlace(
    "old", "127.0.0.1:1", "127.0.0.1:2", token="secret"
)  # from before it had more services


@pytest.mark.parametrize(
    ("build", "service"),
    [
        (place.connect_tables, "engine"),
        (place.connect_matchmaking, "matchmaking"),
        (place.connect_seeks, "matchmaking"),
    ],
)
def test_an_arena_without_the_service_is_to_be_started_anew(
    monkeypatch: pytest.MonkeyPatch, build: Any, service: str
) -> None:
    monkeypatch.setattr(place, "meet_arena", lambda _: (OLD, "secret"))
    with pytest.raises(
        NoArena, match=f"^the arena old has no {service} service; start it anew with this version$"
    ):
        build(None)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("[::1]", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.0.2.1", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_the_machine_itself_is_known_by_its_addresses(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
