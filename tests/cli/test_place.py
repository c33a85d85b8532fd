"""Which arena a command means: by its address, the folder it is in, the last login."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from maumau.cli import login, place
from maumau.errors import BadArena, BadFile, NoArena


@pytest.mark.parametrize(
    ("text", "registry", "tournament", "tls"),
    [
        ("example.org", "example.org:7101", "example.org:7102", False),
        ("http://example.org", "example.org:7101", "example.org:7102", False),
        ("example.org:9000", "example.org:9000", "example.org:9001", False),
        ("http://10.0.0.1:9000,9005/", "10.0.0.1:9000", "10.0.0.1:9005", False),
        ("[::1]:9000", "[::1]:9000", "[::1]:9001", False),
        ("https://example.org", "example.org:443", "example.org:443", True),
        ("https://example.org:8443", "example.org:8443", "example.org:8443", True),
    ],
)
def test_an_address_names_both_services(text: str, registry: str, tournament: str, tls: bool) -> None:
    found = place.find(text)
    assert (found.registry, found.tournament, found.tls) == (registry, tournament, tls)


@pytest.mark.parametrize("text", ["", " ", "a b", "ftp://x", "x:99999", "x:y", "http://", "x:1,2,3,4,5"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadArena):
        place._named(text)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MAUMAU_ARENA", "MAUMAU_DATA", "MAUMAU_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def card(folder: Path, pid: int) -> None:
    folder.mkdir(parents=True)
    text = {"registry": "127.0.0.1:1", "tournament": "127.0.0.1:2", "token": "mm_admin", "pid": pid}
    (folder / "arena.json").write_text(json.dumps(text))


def test_the_arena_of_the_current_folder_comes_before_the_users(home: Path) -> None:
    card(home / "data/maumau", os.getpid())
    assert place.find(None).folder == home / "data/maumau"
    card(home / ".maumau", os.getpid())
    assert place.find(None).folder == home / ".maumau"


def test_an_arena_that_was_stopped_is_named_with_the_command_that_starts_it(home: Path) -> None:
    card(home / ".maumau", 0)
    with pytest.raises(NoArena, match=r"not running; `maumau up --data \.maumau` starts it"):
        place.find(None)


def test_an_arena_that_was_killed_counts_as_stopped(home: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    card(home / ".maumau", gone.pid)
    with pytest.raises(NoArena, match="not running"):
        place.find(None)


def test_what_is_named_comes_before_what_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card(home / ".maumau", os.getpid())
    monkeypatch.setenv("MAUMAU_ARENA", "b.example")
    assert place.find(None).registry == "b.example:7101"
    assert place.find("a.example").registry == "a.example:7101"


def test_the_last_login_elsewhere_is_meant_where_there_is_no_arena(home: Path) -> None:
    name = place.find("https://a.example").name
    login.keep(name, "mm_secret", remote=True)
    found = place.find(None)
    assert (found.registry, found.tls, place.token(found)) == ("a.example:443", True, "mm_secret")


def test_a_login_comes_before_the_admins_token_until_it_is_forgotten(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card(home / ".maumau", os.getpid())
    found = place.find(None)
    assert place.token(found) == "mm_admin"
    login.keep(found.name, "mm_ada", remote=False)
    assert place.token(found) == "mm_ada"
    monkeypatch.setenv("MAUMAU_TOKEN", "mm_env")
    assert place.token(found) == "mm_env"
    monkeypatch.delenv("MAUMAU_TOKEN")
    assert login.forget(found.name)
    assert not login.forget(found.name)
    assert place.token(found) == "mm_admin"


def test_tokens_are_for_their_owner_alone(home: Path) -> None:
    login.keep("http://a:1,2", "mm_a", remote=True)
    assert login.path().stat().st_mode & 0o777 == 0o600


def test_a_damaged_token_file_is_named(home: Path) -> None:
    login.keep("http://a:1,2", "mm_a", remote=True)
    login.path().write_text("{half")
    with pytest.raises(BadFile, match=r"tokens\.json cannot be read"):
        login.token("http://a:1,2")
