"""A player of house bots goes on after errors of its own that nobody has thought of."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from maumau.client.live import Told
from maumau.protocol.manifest import Manifest
from maumau.referee.place import Program
from services.worker import sitter
from services.worker.client import ClaimedSeat, SeatKey
from services.worker.metrics import CounterTally
from services.worker.sitter import Sitter, Sitting
from tests.support.waiting import until

SEAT = SeatKey("table_1", 0)
SHA256 = "0" * 64


class Faulty:
    """Tables of which every question fails with an error that is not of the library's."""

    def __init__(self) -> None:
        self.looks = 0

    def table(self, table_id: str) -> None:
        self.looks += 1
        raise IndexError(table_id)

    def sit(self, token: str, after: int, bot: str) -> None:
        raise ValueError(f"{token} {after}")


class OneSeat:
    """Gives a seat to whoever claims it, and notes what is held and left."""

    def __init__(self) -> None:
        self.renewed: list[tuple[list[SeatKey], list[SeatKey]]] = []

    def claim(self, worker: str, key: SeatKey) -> ClaimedSeat:
        return ClaimedSeat("token", "greedy", SHA256, "", 0.0)

    def renew(self, worker: str, room: int, held: list[SeatKey], left: list[SeatKey]) -> list[SeatKey]:
        self.renewed.append((held, left))
        return []


@pytest.fixture
def program(tmp_path) -> Program:
    return Program(tmp_path, Manifest("greedy", ["python3", "bot.py"]), SHA256, "greedy")


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


@pytest.fixture
def player(stop) -> Sitter:
    bench = SimpleNamespace(name="worker", stopping=stop.is_set, tally=CounterTally())
    return Sitter(bench, OneSeat(), Faulty(), 1)


def test_a_seat_whose_play_fails_unexpectedly_is_held_no_longer(player, program) -> None:
    player._ready[SHA256] = program
    with pytest.raises(ValueError, match="token 0"):
        player.play(SEAT)
    player.renew()
    assert player.seats.renewed == [([], [])]
    with pytest.raises(ValueError, match="token 0"):  # it is not refused as one that is being played
        player.play(SEAT)


def test_looks_at_tables_go_on_after_one_that_failed_unexpectedly(player, program, stop, monkeypatch) -> None:
    monkeypatch.setattr(sitter, "LOOK", 0.01)
    sitting = Sitting("token", program, 0.0)
    sitting.heard -= 2 * sitter.QUIET
    player._held[SEAT] = sitting
    looking = threading.Thread(target=player._keep_looking, daemon=True)
    looking.start()
    try:
        until(lambda: player.tables.looks >= 3)
    finally:
        stop.set()
        looking.join()


class SilentSeat:
    """A seat at a table that says nothing until its player leaves."""

    def __init__(self) -> None:
        self.left = threading.Event()

    def leave(self) -> None:
        self.left.set()

    def __iter__(self) -> Iterator[Told]:
        self.left.wait()
        return iter(())


class SlowTables:
    """Tables that let a player sit down only once the worker has been told to stop."""

    def __init__(self, stop: threading.Event) -> None:
        self.stop, self.asked, self.seat = stop, threading.Event(), SilentSeat()

    @contextmanager
    def sit(self, token: str, after: int, bot: str) -> Iterator[SilentSeat]:
        self.asked.set()
        self.stop.wait()
        yield self.seat


def test_a_seat_taken_while_the_worker_stops_is_left_at_once(player, program, stop) -> None:
    player.tables, player._ready[SHA256] = SlowTables(stop), program
    outcomes: list[str] = []
    sitting = threading.Thread(target=lambda: outcomes.append(player.play(SEAT)), daemon=True)
    sitting.start()
    assert player.tables.asked.wait(60)
    with player._lock:  # the last look at the seats held sees this one before it is taken
        held = list(player._held.values())
        assert [one.seat for one in held] == [None]
        stop.set()
    sitting.join(60)
    player.tables.seat.leave()
    assert outcomes == ["lost"]
