"""A signal may ask for the stop at any moment."""

from __future__ import annotations

import argparse
import signal
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from maumau.cli.arena import run
from maumau.engine import background
from services.supervisor import layout
from services.supervisor.app import Supervisor, describe_processes
from services.supervisor.launch import Stopped
from services.supervisor.layout import Wiring
from services.supervisor.stop import Stop


def test_a_signal_that_comes_while_the_event_is_locked_waits_for_nobody() -> None:
    stop = Stop()
    before = signal.signal(signal.SIGUSR1, stop.request_stop)
    try:
        with stop._cond:  # `wait` is there for a moment
            signal.raise_signal(signal.SIGUSR1)
        assert stop.wait(0)
        assert stop.is_set()
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize(
    ("name", "with_parent", "begins_anew"),
    [("", False, False), ("valkey", False, True), ("valkey", True, False), ("registry", False, False)],
)
def test_an_arena_that_lost_a_port_begins_anew_unless_the_port_was_chosen_for_it(
    tmp_path, capsys, monkeypatch, name: str, with_parent: bool, begins_anew: bool
) -> None:
    told = {"MAUMAU_SANDBOX": "process", "MAUMAU_REGISTRY_ADDRESS": "127.0.0.1:7101"}
    options = argparse.Namespace(data=tmp_path / "data", plain=True, json=False, with_parent=with_parent)
    supervisor = Supervisor(options, layout.read_settings(told), Stop())
    monkeypatch.setattr(supervisor._roster, "find_displaced", lambda: name)
    assert supervisor._has_lost_port() is supervisor._lost_port is begins_anew
    assert ("another program keeps the port of valkey" in capsys.readouterr().out) is begins_anew


@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_greeting_names_the_folder_if_commands_do_not_find_it(tmp_path, capsys, elsewhere: bool) -> None:
    data = tmp_path / "data"
    options = argparse.Namespace(
        data=data, plain=True, json=False, with_parent=False, elsewhere=elsewhere
    )  # fmt: skip
    supervisor = Supervisor(options, layout.read_settings({"MAUMAU_SANDBOX": "process"}), Stop())
    supervisor._print_greeting(SimpleNamespace(web="127.0.0.1:1", addresses={"registry": "127.0.0.1:2"}))
    told = capsys.readouterr().out
    assert told.count(f" --arena {data}`") == (2 if elsewhere else 0)
    assert ("with `--arena" in told) is elsewhere
    assert ("log in: here `maumau` is" in told) is not elsewhere


@pytest.mark.parametrize(
    ("registration", "told"),
    [
        ("open", "maumau login --new NAME"),
        ("code", "maumau admin invite"),
        ("closed", "maumau admin accounts"),
    ],
)
def test_the_greeting_says_what_opens_an_account(tmp_path, capsys, registration: str, told: str) -> None:
    options = argparse.Namespace(
        data=tmp_path / "data", plain=True, json=False, with_parent=False, elsewhere=False
    )  # fmt: skip
    settings = {"MAUMAU_SANDBOX": "process", "MAUMAU_REGISTRATION": registration}
    supervisor = Supervisor(options, layout.read_settings(settings), Stop())
    supervisor._print_greeting(SimpleNamespace(web="127.0.0.1:1", addresses={"registry": "127.0.0.1:2"}))
    login = next(line for line in capsys.readouterr().out.splitlines() if "log in: " in line)
    assert told in login
    assert ("--new" in login) is (registration == "open")


def test_commands_say_a_folder_that_they_would_not_find(tmp_path, monkeypatch) -> None:
    told: list[list[str]] = []
    monkeypatch.setattr(run.os, "execv", lambda _, words: told.append(words))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAUMAU_DATA", raising=False)
    for folder in (None, Path(".maumau"), tmp_path / ".maumau", tmp_path / "arena"):
        run.start_arena(data=folder)
    assert ["--elsewhere" in words for words in told] == [False, False, False, True]


def test_an_arena_of_this_folder_is_started_again_and_no_second_one(tmp_path, monkeypatch) -> None:
    told: list[list[str]] = []
    monkeypatch.setattr(run.os, "execv", lambda _, words: told.append(words))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAUMAU_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    run.start_arena()
    Path(".maumau").mkdir()
    run.start_arena()  # an empty folder doesn't count as an arena
    Path(".maumau", "arena.json").write_text("{}")
    run.start_arena()
    monkeypatch.setenv("MAUMAU_DATA", "elsewhere")
    run.start_arena()
    folders = [words[words.index("--data") + 1] for words in told]
    assert folders == [str(tmp_path / "home" / "maumau")] * 2 + [".maumau", "elsewhere"]


def test_an_arena_that_stops_asks_nobody_who_has_its_ports_by_then(tmp_path, capsys) -> None:
    """Its admin's token would be unknown there, and the last line of the arena an error."""
    stop = Stop()
    options = argparse.Namespace(data=tmp_path / "data", plain=True, json=False, programme="", strict=True)
    supervisor = Supervisor(options, layout.read_settings({"MAUMAU_SANDBOX": "process"}), stop)
    supervisor._folder.save_card(house_token="mm_house")
    with socket.create_server(("127.0.0.1", 0)) as another:
        another.setblocking(False)
        address = f"127.0.0.1:{another.getsockname()[1]}"
        wiring = Wiring(
            *[address] * len(layout.SERVICES),
            redis="",
            broker="",
            sandbox="process",
            uploads="all",
            image="optional",
        )
        admin = supervisor._connect_client(wiring, "mm_admin")
        stop.set()
        admin.close()
        supervisor._house_and_demo(wiring, admin)
        with pytest.raises(Stopped):
            supervisor._connect_client(wiring, "mm_admin")
        with pytest.raises(BlockingIOError):
            another.accept()
    assert supervisor._failure is None
    assert capsys.readouterr().out == ""


def test_the_last_line_of_the_picture_has_no_process_ids() -> None:
    assert describe_processes({"valkey": 11, "web": 12}) == (
        "all 2 processes are running; `maumau status` shows their state"
    )
    assert describe_processes({"valkey": 11, "web": 0, "worker-1": 0}) == "restarting: web, worker-1"


def test_the_engine_is_compiled_once_and_only_after_a_demonstration(tmp_path, monkeypatch) -> None:
    options = argparse.Namespace(data=tmp_path / "data", plain=True, json=False)
    supervisor = Supervisor(options, layout.read_settings({"MAUMAU_SANDBOX": "process"}), Stop())
    pids, spared, told = iter([4711]), [], []
    monkeypatch.setattr(background, "start", lambda: next(pids))
    monkeypatch.setattr(supervisor._roster, "spare_process", spared.append)
    supervisor._start_compiler()
    assert spared == []  # not before the first deal
    supervisor._let_compile(told.append)("the tournament")
    assert told == ["the tournament"]
    supervisor._start_compiler()
    supervisor._start_compiler()
    assert spared == [4711]
