"""The referee's work for a program: the usual amount is granted, the program is charged for the rest."""

from __future__ import annotations

import pytest

from maumau.protocol.limit import RunLimits
from maumau.referee import overhead, player, process
from maumau.referee.overhead import FREE, LINE, TURN, WAITED, Overhead
from maumau.referee.pace import Pace
from maumau.referee.process import Process


@pytest.fixture
def clock(monkeypatch):
    """Return the seconds used by the referee's thread, which tests may change."""
    used = [0.0]
    monkeypatch.setattr(overhead, "thread_time", lambda: used[0])
    return used


def test_what_is_granted_adds_up_and_only_what_is_beyond_is_charged(clock):
    found = Overhead(Pace())
    for _ in range(10):
        found.begin(4)
        found.end()
    found.grant_wait(2.0)
    granted = FREE + 10 * (TURN + 4 * LINE) + 2 * WAITED
    found.begin()
    clock[0] += granted
    found.end()
    assert found.charged == pytest.approx(0, abs=1e-12)
    found.add(0.075)
    assert found.charged == pytest.approx(0.075)
    found.begin(1)
    clock[0] += TURN + LINE
    found.end()
    assert found.charged == pytest.approx(0.075)  # earlier charges are not charged again


def test_on_a_slow_core_more_is_granted(clock):
    pace = Pace()
    pace.now = 2.0
    found = Overhead(pace)
    found.begin(1)
    clock[0] += 2 * (FREE + TURN + LINE) + 0.001
    found.end()
    assert found.charged == pytest.approx(0.001)


def test_a_probe_of_the_pace_is_charged_to_nobody(clock):
    pace = Pace()
    found = Overhead(pace)
    found.add(FREE)
    found.begin()
    clock[0] += 0.5
    pace.probed += 0.5
    found.end()
    assert found.charged == pytest.approx(0, abs=1e-12)


class Silent:
    """A sandboxed process whose clock stands still."""

    def __init__(self, pipes):
        self.stdin, self.stdout, self.stderr = pipes
        self.cpu = lambda: 1.0
        self.watched = False

    def burst(self):
        return False


def test_the_charge_is_taken_from_the_bank_and_from_the_waiting(monkeypatch):
    monkeypatch.setattr(process, "Channel", lambda *_: None)
    found = Process(Silent([0, 1, 2]), RunLimits(), Pace())
    found.grant_bank(1.0, 10.0)
    found.charge_seconds(FREE + 0.25)
    assert found.read_bank() == pytest.approx(0.75)
    assert found.wall == pytest.approx(9.75)
    assert found.waited == pytest.approx(0.25)
    found.count_time()
    assert found.used == pytest.approx(0.25)
    assert found.book_time() == pytest.approx(0.25)
    found.charge_seconds(1.0)
    monkeypatch.setattr(found._pace, "probe_host", lambda: None)
    spent = "its bank of CPU time is spent: 1,250 of 1,000 reference ms"
    with pytest.raises(process.Misplay, match=f"{spent}; with 1,250 ms of the referee.s time"):
        found.read_bank()


def test_of_several_that_are_waited_for_those_that_wrote_pay_for_the_look_at_all(monkeypatch):
    monkeypatch.setattr(process, "Channel", lambda *_: None)
    wrote, other, silent = (Process(Silent([0, 1, 2]), RunLimits(), Pace()) for _ in range(3))
    player._charge_look([wrote, other], 2 * FREE + 0.5)
    player._charge_look([], 9.0)
    assert [each.overhead.charged for each in (wrote, other, silent)] == pytest.approx([0.25, 0.25, 0.0])
