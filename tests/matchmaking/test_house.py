"""House bots at live tables: a real worker plays for them, with one process for many tables."""

import asyncio
import os
import signal
import subprocess
import sys

import psutil
import pytest

from bench.support.patience import patient
from maumau.client.seek import Wish
from maumau.errors import (
    ArenaUnreachable,
    BadRequest,
    BadSeatToken,
    DatabaseUnavailable,
    NoHouseBot,
    NotActive,
    QuotaReached,
)
from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.matchmaking.live.client import Opened
from services.matchmaking.live.client import SeatPlayer as PlayerOfTable
from services.matchmaking.live.house import House
from services.matchmaking.store.house import WORKERS, HouseSeats, Offer
from services.matchmaking.store.seek import WaitingSeek
from services.shared.store.redis import connect_aio
from tests.matchmaking.test_seek import Author, seek
from tests.support.arenas.calls import refused
from tests.support.arenas.engine import Calls
from tests.support.arenas.seat import Player, Seat, Typing, first_action
from tests.support.arenas.tournament import WORKER
from tests.support.terminal import home_of
from tests.support.waiting import until

ROOMS = 6


class Sitter:
    """A worker that plays seats, as the supervisor starts it."""

    def __init__(self, arena, data):
        told = {
            "DATA": data, "BROKER_URL": arena.settings.broker_url, "WORKER_TOKEN": WORKER, "SEATS": ROOMS,
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


def test_whoever_lets_four_tables_of_ten_wait_leaves_house_bots_for_others(apart_url, loop):
    """An arena has 32 seats for house bots; two tables of ten take 18, and a third one is refused."""

    async def check():
        seats = HouseSeats(connect_aio(apart_url))
        house = House(seats, None, None)
        refused_at = []
        for table in range(4):
            offers = [Offer(f"table_{table}", seat, "token", "greedy", 0, "silent") for seat in range(1, 10)]
            try:
                await house.check_share("silent", len(offers))
            except QuotaReached as error:
                refused_at.append((table, str(error)))
                continue
            await seats.store_offers(offers)
        await house.check_share("other", 9)
        shares = [await house.has_share("silent", 1), await house.has_share("other", 18)]
        for seat in range(1, 10):  # the first table ends
            await seats.claim_seat(("table_0", seat), "worker")
            await seats.renew_seats("worker", 1, [], [("table_0", seat)])
        await house.check_share("silent", 9)
        return refused_at, shares

    refused_at, shares = loop.run(check())
    assert [table for table, _ in refused_at] == [2, 3]
    assert refused_at[0][1].startswith("18 house bots sit at tables that you have made; 18 are the most")
    assert shares == [False, True]


def test_guests_of_one_network_leave_a_quarter_of_the_seats_for_others(apart_url, loop):
    """Of 32 seats a class of 30 gets 24, each pupil a bot; another network gets one of the rest."""

    async def check():
        seats = HouseSeats(connect_aio(apart_url))
        house, refused_at = House(seats, None, None), []
        await seats.renew_seats("worker", 32, [], [])
        for pupil in range(30):
            try:
                await house.check_network("network:class", 1)
            except QuotaReached as error:
                refused_at.append((pupil, str(error)))
                continue
            await seats.store_offers(
                [Offer(f"table_{pupil}", 1, "token", "greedy", 0, f"guest:{pupil}", "network:class")]
            )
            await seats.claim_seat((f"table_{pupil}", 1), "worker")
            await seats.renew_seats("worker", 31 - pupil, [], [])
        await house.check_network("network:other", 8)
        return refused_at

    refused_at = loop.run(check())
    assert [pupil for pupil, _ in refused_at] == [24, 25, 26, 27, 28, 29]
    assert refused_at[0][1].startswith("24 house bots sit at tables of guests from your network; 24 are")


def test_six_calls_at_once_get_no_more_house_bots_than_one_after_the_other(apart_url, loop):
    """Of six calls for four seats each, from two replicas, four succeed: five would make 20 of 18 seats."""

    async def invite_all():
        houses = [House(HouseSeats(connect_aio(apart_url)), None, None) for _ in range(2)]
        calls = [
            houses[table % 2].keep_seats(
                [Offer(f"table_{table}", seat, "token", "greedy", 0, "ada") for seat in range(4)]
            )
            for table in range(6)
        ]
        ended = await asyncio.gather(*calls, return_exceptions=True)
        return ended, await houses[0].seats.count_seats_of("ada"), await houses[0].seats.list_overdue()

    ended, held, offered = loop.run(invite_all())
    assert sorted(type(one).__name__ for one in ended) == ["NoneType"] * 4 + ["QuotaReached"] * 2
    assert "16 house bots sit at tables that you have made" in str(next(filter(None, ended)))
    assert (held, len(offered)) == (16, 16)  # nothing is kept of a call that was refused


def test_seats_offered_again_count_once_and_can_be_taken_back(apart_url, loop):
    async def check():
        house = House(HouseSeats(connect_aio(apart_url)), None, None)
        offers = [Offer("table_1", seat, "token", "greedy", 0, "ada") for seat in range(10)]
        await house.keep_seats(offers)
        await house.keep_seats(offers)
        counts = [await house.seats.count_seats_of("ada")]
        await house.seats.withdraw_offers(offers[:3])
        return [*counts, await house.seats.count_seats_of("ada")], len(await house.seats.list_overdue())

    assert loop.run(check()) == ([10, 7], 7)


def test_seats_of_a_table_whose_seekers_could_not_be_seated_are_taken_back(arena, apart_url, loop):
    async def check():
        matcher = arena.matcher(apart_url, Engine())
        matcher.seeks.seat_seeks, matcher.house.choose_bots = fail, choose
        one = WaitingSeek(seek("seek_1", "ada"), 0, here=True)
        with refused(ArenaUnreachable, "Redis"):
            await matcher._open_table(("seek_1", None), {"seek_1": one}, "mark")
        seats = matcher.house.seats
        return await seats.count_seats_of("ada"), await seats.list_overdue()

    class Engine:
        async def open_table(self, first, time, players):
            return Opened("table_1", ["t0", "t1"])

    async def fail(seatings, mark):
        raise ArenaUnreachable("Redis does not answer.")

    async def choose(rules, seats, count, seed):
        return [PlayerOfTable("house", "house", "greedy")] * count

    assert loop.run(check()) == (0, [])


def test_it_is_said_why_no_house_bot_can_sit_down(apart_url, loop):
    async def check(count, *rooms):
        seats = HouseSeats(connect_aio(apart_url))
        for number, room in enumerate(rooms):
            await seats.renew_seats(f"worker-{number}", room, [("table_1", number)], [])
        await seats.renew_seats("worker-that-ends", 0, [], [])
        await House(seats, None, None).check_room(count)

    with refused(NoHouseBot, "no worker of the arena plays for them"):
        loop.run(check(1))
    with refused(NoHouseBot, "all seats of the workers that play for them are taken"):
        loop.run(check(4, 0, 0))
    with refused(NoHouseBot, "Only 3 of 4 house bots can sit down just now"):
        loop.run(check(4, 1, 2))
    loop.run(check(4, 2, 2))


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


@pytest.mark.parametrize(("error", "kept"), [(NotActive, 0), (DatabaseUnavailable, 1)])
def test_a_seat_whose_bot_is_not_known_just_now_is_kept_and_so_is_its_worker(apart_url, loop, error, kept):
    async def check():
        seats = HouseSeats(connect_aio(apart_url))
        house = House(seats, Versions(), None)
        await seats.renew_seats("worker", 3, [], [])
        await seats.store_offers([Offer("table_1", 1, "token", "greedy", 0, "ada")])
        with pytest.raises(error):
            await house.claim_seat(("table_1", 1), "worker")
        return await seats.count_room(), await seats.count_seats_of("ada")

    class Versions:
        async def active(self, name):
            raise error

    assert loop.run(check()) == (3, kept)


def test_a_silent_worker_that_is_heard_of_while_room_is_counted_is_not_forgotten(apart_url, loop):
    async def check():
        client = connect_aio(apart_url)
        seats, execute = HouseSeats(client), client.execute_command
        await seats.renew_seats("worker", 3, [], [])
        await client.zadd(WORKERS, {"worker": 1})

        async def execute_and_renew(command, *args, **options):
            found = await execute(command, *args, **options)
            if command in {"ZRANGEBYSCORE", "EVALSHA"}:
                client.execute_command = execute
                await seats.renew_seats("worker", 3, [], [])
            return found

        client.execute_command = execute_and_renew
        await seats.count_room()
        return await seats.count_room()

    assert loop.run(check()) == 3
