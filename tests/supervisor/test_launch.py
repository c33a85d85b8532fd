"""The start of an arena where others start, too."""

import threading

import pytest

from maumau.errors import StartFailed
from services.supervisor import layout
from services.supervisor.launch import Launch
from services.supervisor.roster import Roster


@pytest.mark.parametrize("named", [False, True])
def test_who_lost_a_port_once_takes_any_that_is_free_unless_a_setting_names_it(free_port, named):
    usual, settings = free_port(), {}
    if named:
        settings = {"MAUMAU_REGISTRY_ADDRESS": f"127.0.0.1:{usual}"}
    launch = Launch(None, Roster(print), layout.settings(settings), {}, print, threading.Event())
    tried = []

    def start(ports):
        tried.append(ports["registry"])
        if len(tried) < 3:
            raise StartFailed("registry did not start: another program has it")
        return "started"

    assert launch._tried(start, {"registry": usual}) == "started"
    assert tried[0] == usual
    assert (tried[1:] == [usual, usual]) is named
