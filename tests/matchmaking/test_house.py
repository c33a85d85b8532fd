"""House bots at live tables: a real worker plays for them, with one process for many tables."""

import os
import signal
import subprocess
import sys

import psutil
import pytest

from bench.support.patience import patient
from maumau.client.seek import Wish
from maumau.errors import (
    BadRequest,
    BadSeatToken,
    NoHouseBot,
    QuotaReached,
)
from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.shared.store.redis import connect_aio
from services.supervisor.layout import SEATS
from tests.matchmaking.test_seek import Author
from tests.support.arenas.calls import refused
from tests.support.arenas.engine import Calls
from tests.support.arenas.seat import Player, Seat, Typing, first_action
from tests.support.arenas.tournament import ADMIN, WORKER
from tests.support.terminal import home_of
from tests.support.waiting import until

ROOMS = 6


class Sitter:
    """A worker that plays seats, as the supervisor starts it."""

    def __init__(self, arena, data, rooms=ROOMS):
        told = {
            "DATA": data, "BROKER_URL": arena.settings.broker_url, "WORKER_TOKEN": WORKER, "SEATS": rooms,
            "REGISTRY_ADDRESS": arena.address, "TOURNAMENT_ADDRESS": arena.address,
            "ENGINE_ADDRESS": arena.address, "MATCHMAKING_ADDRESS": arena.address, "SANDBOX": "process",
        }  # fmt: skip
        data.mkdir()
        self.log = data / "sitter.log"
        with self.log.open("ab") as out:
            env = {**os.environ, **{f"MAUMAU_{name}": str(value) for name, value in told.items()}}
            command = [sys.executable, "-m", "services.worker"]
            self.process = subprocess.Popen(command, env=env, stdout=out, stderr=out)

    def bots(self):
        """Return the processes of programs below it."""
        found = psutil.Process(self.process.pid).children(recursive=True)
        return [one for one in found if "bot.py" in " ".join(one.cmdline())]

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(patient(20))


@pytest.fixture
def sitter(arena, house, tmp_path):
    one = Sitter(arena, tmp_path / "sitter")
    yield one
    one.end()


@pytest.fixture
def ada(arena):
    return Author(arena)


def seated(author, wish):
    return next(told for told in author.seeks.seek(wish) if told.token)


@pytest.mark.long
def test_house_bots_sit_down_where_nobody_else_does_and_one_process_plays_many_tables(ada, sitter):
    wish = Wish(rules="prsi", bot_name="mine", rated=True, house_after=0)
    told = seated(ada, wish)
    assert sorted(told.names) == ["", f"mine ({ada.name})"]  # names are hidden before all have come
    places = Player([ada.engine], told.token).ended()["places"]
    line = until(lambda: next((x for x in ada.seeks.ratings("prsi").ratings if x.bot_name == "greedy"), None))
    assert (line.account_name, line.games) == ("house", 1)
    assert line.elo == pytest.approx(0, abs=0.01)  # it holds the scale
    assert sorted(places) == [1, 2]
    unrated = Wish(rules="mau_mau", house_after=0)
    tables = [seated(ada, unrated) for _ in range(ROOMS)]
    assert all(Player([ada.engine], one.token).ended() for one in tables)
    assert len(sitter.bots()) <= 4  # one for each program, rules and seat


@pytest.mark.long
def test_a_house_bot_whose_worker_is_killed_goes_on_at_another_one(arena, ada, sitter, tmp_path):
    told = seated(ada, Wish(rules="prsi", house_after=0, bank=300))
    seat = Seat(ada.engine, told.token)
    seat.answer(first_action(seat.question()))
    sitter.end(signal.SIGKILL)
    other = Sitter(arena, tmp_path / "other")
    try:
        while (asked := seat.question()) is not None:
            seat.answer(first_action(asked))
        table = ada.engine.GetTable(table_id=told.table_id).table
        assert table.state == engine_pb2.TABLE_STATE_OVER
        assert "forfeit" not in table.record
    finally:
        seat.leave()
        other.end()


@pytest.mark.long
def test_house_bots_who_wait_for_somebody_who_has_left_play_with_others_meanwhile(arena, ada, sitter):
    """The bank of a day lets a table wait that long; the worker's six seats are free within seconds."""
    told = seated(ada, Wish(rules="mau_mau", seats=ROOMS + 1, house_after=0, bank=86_400))
    seat = Seat(ada.engine, told.token)
    assert seat.question()
    seat.leave()
    until(lambda: room(arena) == ROOMS, 20)
    bob = Author(arena)
    tables = [seated(bob, Wish(rules="mau_mau", house_after=0)) for _ in range(ROOMS)]
    assert all(Player([bob.engine], one.token).ended() for one in tables)
    places = Player([ada.engine], told.token).ended()["places"]
    assert len(places) == ROOMS + 1
    table = ada.engine.GetTable(table_id=told.table_id).table
    assert table.state == engine_pb2.TABLE_STATE_OVER
    assert "forfeit" not in table.record


@pytest.mark.long
def test_four_tables_of_ten_of_a_silent_account_keep_nobody_from_a_house_bot_for_ten_seconds(
    arena, ada, house, tmp_path
):
    """Its own are 18 house bots at most, here all that the worker has room for.

    The wait is measured by the clock of the arena's Redis; a host that is slow or busy gets longer.
    """
    sitter, held = Sitter(arena, tmp_path / "sitter", rooms=SEATS), []
    try:
        until(lambda: room(arena) == SEATS)
        held += [hold_table_of_ten(ada) for _ in range(4)]
        assert all(held[:2])
        bob = Author(arena)
        made = bob.engine.CreateTable(rules={"name": "mau_mau"}, seats=2)
        table, tokens = made.table, list(made.seat_tokens)
        began = now(arena)
        until(lambda: invited(bob, tokens[1:]), 10)
        seat = Seat(bob.engine, tokens[0])
        assert seat.question()  # nobody is asked before everybody has come
        assert now(arena) - began < patient(10)
        held.append(table.id)
        seat.leave()
    finally:
        engine = Calls(arena.address, ADMIN, engine_pb2, engine_pb2_grpc.EngineServiceStub)
        for table_id in filter(None, held):
            engine.CloseTable(table_id=table_id, words="the test is over")
        sitter.end()


def hold_table_of_ten(author):
    """Come to a table with nine house bots and the bank of a day, and leave it; return its id, if held."""
    day = 86_400_000
    made = author.engine.CreateTable(
        rules={"name": "mau_mau"}, seats=10, time={"bank_ms": day, "window_ms": 8000, "join_ms": 60_000}
    )
    try:
        author.seeks.invite_house(list(made.seat_tokens)[1:])
    except (QuotaReached, NoHouseBot):
        return None
    seat = Seat(author.engine, made.seat_tokens[0])
    assert seat.question()
    seat.leave()
    return made.table.id


def now(arena):
    """Return the seconds of the clock of the arena's Redis."""

    async def ask():
        seconds, micros = await connect_aio(arena.settings.redis_url).time()
        return seconds + micros / 1e6

    return arena.loop.run(ask())


@pytest.mark.long
def test_house_bots_come_to_a_table_of_ones_own(arena, ada, sitter):
    engine = Calls(arena.address, ada.client.token, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = engine.CreateTable(rules={"name": "prsi"}, seats=3, names=["ada"])
    tokens = list(made.seat_tokens)
    with refused(NoHouseBot, "is not a house bot of this arena; its house bots are greedy"):
        ada.seeks.invite_house(tokens[1:], ["nobody"])
    with refused(BadSeatToken):
        ada.seeks.invite_house(["table"])
    with refused(BadRequest, "1 to 9"):
        ada.seeks.invite_house([])
    assert until(lambda: invited(ada, tokens[1:])) == ["greedy", "greedy"]
    places = Player([ada.engine], tokens[0]).ended()["places"]
    assert (len(places), min(places)) == (3, 1)


@pytest.mark.long
def test_house_bots_of_the_arena_come_to_a_person_in_the_terminal(arena, ada, sitter, tmp_path, monkeypatch):
    until(lambda: room(arena) >= 2)
    monkeypatch.setattr(sys, "stdin", Typing())
    monkeypatch.setattr("maumau.cli.player.hosting.THINK", 0)
    home = home_of(arena, tmp_path / "home", ada.client.token)
    assert "The deal is over" in home.run("seat", "prsi", "--seats", "3", "--house").out
    assert len(sitter.bots()) == 2


def room(arena):
    return arena.loop.run(arena.house_seats.count_room())


def invited(author, tokens):
    try:
        return author.seeks.invite_house(tokens)
    except NoHouseBot:  # the worker is not there yet
        return None


@pytest.mark.long
def test_where_no_worker_plays_for_them_one_is_told_so_and_a_bot_of_ones_own_machine_sits_down(
    arena, ada, house, tmp_path, monkeypatch
):
    until(lambda: not room(arena))
    found = next(told for told in ada.seeks.seek(Wish(rules="schweizer", house_after=0)) if told.words)
    assert "no house bot can sit down just now" in found.words
    home, said = home_of(arena, tmp_path, ada.client.token), []
    monkeypatch.setattr(sys, "stdin", Typing())
    monkeypatch.setattr("maumau.cli.shared.game.say_progress", said.append)
    assert "The deal is over" in home.run("seat", "prsi", "--house", "--sandbox", "process").out
    assert said == [f"{str(NoHouseBot()).rstrip('.')}; greedy plays on this machine instead"]
