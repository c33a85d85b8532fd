"""The start of an arena: where others start, too, and where it cannot."""

import socket
import sys
import threading

import pytest

from maumau.errors import StartFailed
from services.supervisor import layout
from services.supervisor.folder import Folder
from services.supervisor.launch import Launch
from services.supervisor.process.child import Child
from services.supervisor.process.roster import Roster


@pytest.mark.parametrize("named", [False, True])
def test_who_lost_a_port_once_takes_any_that_is_free_unless_a_setting_names_it(free_port, named, tmp_path):
    usual, settings = free_port(), {}
    if named:
        settings = {"MAUMAU_REGISTRY_ADDRESS": f"127.0.0.1:{usual}"}
    folder, wanted = Folder(tmp_path), layout.read_settings(settings)
    launch = Launch(folder, Roster(print), wanted, {}, print, threading.Event())
    tried = []

    def start(ports):
        tried.append(ports["registry"])
        if len(tried) < 3:
            raise StartFailed("registry did not start: another program has it")
        return "started"

    assert launch._retry_ports(start, {"registry": usual}) == "started"
    assert tried[0] == usual
    assert (tried[1:] == [usual, usual]) is named


def test_a_service_keeps_the_port_of_its_last_run_unless_it_is_taken(free_port, tmp_path):
    usual, last = free_port(), free_port()
    folder, said = Folder(tmp_path), []
    launch = Launch(folder, Roster(print), layout.read_settings({}), {}, said.append, threading.Event())
    choose = lambda: launch._retry_ports(lambda ports: ports["web"], {"web": usual})  # noqa: E731
    assert choose() == usual
    folder.save_card(web=f"127.0.0.1:{last}")
    assert (choose(), said) == (last, [])
    with socket.create_server(("127.0.0.1", last)):
        assert choose() == usual
        assert said[0].startswith(f"port {last} is taken by another program, ")
        assert said[0].endswith(f"is not this arena; the web service listens on {usual}")
        with socket.create_server(("127.0.0.1", usual)):
            assert choose() not in (usual, last)


def test_the_port_of_a_setting_comes_before_that_of_the_last_run(free_port, tmp_path):
    named, last = free_port(), free_port()
    folder, wanted = Folder(tmp_path), layout.read_settings({"MAUMAU_WEB_ADDRESS": f"127.0.0.1:{named}"})
    folder.save_card(web=f"127.0.0.1:{last}")
    launch = Launch(folder, Roster(print), wanted, {}, print, threading.Event())
    assert launch._choose_port("web", named) == named


def test_who_ends_instead_of_starting_ends_the_start_with_its_last_words(tmp_path):
    roster = Roster(print)
    launch = Launch(None, roster, layout.read_settings({}), {}, print, threading.Event())
    code = "print('error: no such database'); raise SystemExit(1)"
    roster.start_children([Child("registry", [sys.executable, "-S", "-c", code], {}, tmp_path, 1)])
    words = r"registry did not start \(exit code 1\): error: no such database"
    with pytest.raises(StartFailed, match=words):
        launch._await_service("registry", lambda: False)


def test_what_an_author_has_set_for_another_arena_does_not_reach_this_one(tmp_path):
    addresses = ["127.0.0.1:1"] * len(layout.SERVICES)
    wiring = layout.Wiring(
        *addresses, redis="", broker="", sandbox="process", uploads="all", image="optional"
    )
    files = ["TLS_CA", "TLS_WORKERS_CA"]
    files += [f"{pair}_{what}" for pair in ("TLS", "TLS_WORKERS", "TLS_CLIENT") for what in ("CERT", "KEY")]
    another = {f"MAUMAU_{name}": "/another/ca.pem" for name in files} | {"MAUMAU_LISTEN_WORKERS": "host:7111"}
    another |= {"MAUMAU_HOST_TOKEN": "mm_of-another-arena", "MAUMAU_HOST_NAME": "host-1"}
    card = Folder(tmp_path).card
    told = wiring.build_environment(another | {"HOME": "/home/ada"}, tmp_path, card)
    assert told["HOME"] == "/home/ada"
    assert told["MAUMAU_SERVICES_URL"] == "http://127.0.0.1:1,1,1,1"
    assert not any(told[name] for name in another)
