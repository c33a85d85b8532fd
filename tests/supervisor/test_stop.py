"""A signal may ask for the stop at any moment."""

from __future__ import annotations

import argparse
import signal
import socket

import pytest

from services.supervisor import layout
from services.supervisor.app import Supervisor
from services.supervisor.launch import Stopped
from services.supervisor.layout import Wiring
from services.supervisor.stop import Stop


def test_a_signal_that_comes_while_the_event_is_locked_waits_for_nobody() -> None:
    stop = Stop()
    before = signal.signal(signal.SIGUSR1, stop.ask)
    try:
        with stop._cond:  # where `wait` is for a moment
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
    supervisor = Supervisor(options, layout.settings(told), Stop())
    monkeypatch.setattr(supervisor._roster, "displaced", lambda: name)
    assert supervisor._has_lost_port() is supervisor._lost_port is begins_anew
    assert ("another program keeps the port of valkey" in capsys.readouterr().out) is begins_anew


def test_an_arena_that_stops_asks_nobody_who_has_its_ports_by_then(tmp_path, capsys) -> None:
    """Its admin's token would be unknown there, and the last line of the arena an error."""
    stop = Stop()
    options = argparse.Namespace(data=tmp_path / "data", plain=True, json=False, programme="", strict=True)
    supervisor = Supervisor(options, layout.settings({"MAUMAU_SANDBOX": "process"}), stop)
    supervisor._folder.save(house_token="mm_house")
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
        admin = supervisor._connect(wiring, "mm_admin")
        stop.set()
        admin.close()
        supervisor._house_and_demo(wiring, admin)
        with pytest.raises(Stopped):
            supervisor._connect(wiring, "mm_admin")
        with pytest.raises(BlockingIOError):
            another.accept()
    assert supervisor._failure is None
    assert capsys.readouterr().out == ""
