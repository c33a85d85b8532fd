"""The part of `maumau doctor` about this machine's time."""

from __future__ import annotations

import re
from functools import partial

import pytest

from maumau.home import doctor
from maumau.referee.pace import REFERENCE, Pace
from tests.support.terminal import Terminal


@pytest.mark.long
def test_doctor_shows_pace_steadiness_and_stolen_time(home: Terminal) -> None:
    said = home.run("doctor", code=None).out
    words = " ".join(said.split())
    assert re.search(r"pace \d+\.\d\d to \d+\.\d\d \(1 is the reference", words)
    assert re.search(r"probes of a core differ by up to \d+\.\d\d times; \d+% of the time was stolen", words)


@pytest.mark.long
def test_doctor_says_in_a_sentence_that_a_host_is_unfit(monkeypatch) -> None:
    monkeypatch.setattr(doctor, "Pace", partial(Pace, probe=lambda: 6 * REFERENCE))
    finding = next(each for each in doctor.examine_machine() if each.what == "pace")
    assert not finding.ok
    assert finding.words.startswith("This host is unfit: its core takes 6.00 times the CPU time")
