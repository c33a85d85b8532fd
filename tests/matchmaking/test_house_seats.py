"""Seats of house bots in Redis: whose they are, how many there may be, and what lost answers change."""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from bench.support.patience import patient
from maumau.errors import DatabaseUnavailable, NoHouseBot, NotActive, QuotaReached
from services.matchmaking.live.client import Opened
from services.matchmaking.live.client import SeatPlayer as PlayerOfTable
from services.matchmaking.live.house import House
from services.matchmaking.store.live_tables.house import WORKERS, HouseSeats, Offer
from services.matchmaking.store.live_tables.seek import WaitingSeek
from services.shared.store.redis import connect_aio
from tests.matchmaking.test_seek import seek
from tests.support.arenas.calls import refused
from tests.support.stores.lost_answer import lose_first_answer


def offer(table, count, account, network=""):
    """Return the offers of the first seats of a table."""
    return [Offer(table, seat, "token", "greedy", 0, account, network) for seat in range(count)]


def test_whoever_lets_four_tables_of_ten_wait_leaves_house_bots_for_others(apart_url, loop):
    """An arena has 32 seats for house bots; two tables of ten take 18, and a third one is refused."""

    async def check():
        seats = HouseSeats(connect_aio(apart_url))
        house = House(seats, None, None)
        refused_at = []
        await seats.renew_seats("worker", 32, [], [])
        for table in range(4):
            try:
                await house.keep_seats(offer(f"table_{table}", 9, "silent"))
            except QuotaReached as error:
                refused_at.append((table, str(error)))
        await house.keep_seats(offer("table_4", 9, "other"))
        shares = [await house.has_share("silent", 1), await house.has_share("other", 9)]
        for seat in range(9):  # the first table ends
            await seats.claim_seat(("table_0", seat), "worker")
            await seats.renew_seats("worker", 32, [], [("table_0", seat)])
        await house.keep_seats(offer("table_5", 9, "silent"))
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
                await house.keep_seats(offer(f"table_{pupil}", 1, f"guest:{pupil}", "network:class"))
            except QuotaReached as error:
                refused_at.append((pupil, str(error)))
                continue
            await seats.claim_seat((f"table_{pupil}", 0), "worker")
            playing = [(f"table_{number}", 0) for number in range(pupil + 1)]
            await seats.renew_seats("worker", 32 - len(playing), playing, [])
        await house.keep_seats(offer("table_30", 8, "guest:30", "network:other"))
        return refused_at

    refused_at = loop.run(check())
    assert [pupil for pupil, _ in refused_at] == [24, 25, 26, 27, 28, 29]
    assert refused_at[0][1].startswith("24 house bots sit at tables of guests from your network; 24 are")


def test_six_calls_at_once_get_no_more_house_bots_than_one_after_the_other(apart_url, loop):
    """Of six calls for four seats each, from two replicas, four succeed: five would make 20 of 18 seats."""

    async def invite_all():
        houses = [House(HouseSeats(connect_aio(apart_url)), None, None) for _ in range(2)]
        await houses[0].seats.renew_seats("worker", 32, [], [])
        calls = [houses[table % 2].keep_seats(offer(f"table_{table}", 4, "ada")) for table in range(6)]
        ended = await asyncio.gather(*calls, return_exceptions=True)
        return ended, await houses[0].seats.count_seats_of("ada"), await houses[0].seats.list_overdue()

    ended, held, offered = loop.run(invite_all())
    assert sorted(type(one).__name__ for one in ended) == ["NoneType"] * 4 + ["QuotaReached"] * 2
    assert "16 house bots sit at tables that you have made" in str(next(filter(None, ended)))
    assert (held, len(offered)) == (16, 16)  # nothing is kept of a call that was refused


def test_calls_at_once_share_the_room_of_the_workers_and_of_a_network(apart_url):
    """Of ten calls for three seats from threads of their own, one network's guests get six, of 24 seats."""

    def invite(table):
        async def keep():
            house = House(HouseSeats(connect_aio(apart_url)), None, None)
            barrier.wait(patient(20))
            await house.keep_seats(offer(f"table_{table}", 3, f"guest:{table}", f"network:{table % network}"))

        try:
            asyncio.run(keep())
        except (QuotaReached, NoHouseBot) as error:
            return str(error)
        return "kept"

    def invite_all(room):
        asyncio.run(report(room))
        with ThreadPoolExecutor(10) as pool:
            return Counter(pool.map(invite, range(10)))

    async def report(room):
        client = connect_aio(apart_url)
        await client.flushdb()
        await HouseSeats(client).renew_seats("worker", room, [], [])

    barrier, network = Barrier(10), 1
    told = invite_all(24)
    assert told.pop("kept") == 6
    assert "18 house bots sit at tables of guests from your network; 18 are the most" in told.popitem()[0]
    barrier, network = Barrier(10), 10
    told = invite_all(14)
    assert told.pop("kept") == 4
    assert told.popitem()[0].startswith("Only 2 of 3 house bots can sit down just now")


def test_a_seat_takes_room_until_its_worker_counts_it_as_played(apart_url, loop):
    async def check():
        seats = HouseSeats(connect_aio(apart_url))
        house, rooms = House(seats, None, None), []
        await seats.renew_seats("worker", 2, [], [])
        await house.keep_seats(offer("table_1", 1, "ada"))
        rooms.append(await seats.count_room())
        await seats.claim_seat(("table_1", 0), "worker")
        rooms.append(await seats.count_room())
        await seats.renew_seats("worker", 1, [("table_1", 0)], [])
        rooms.append(await seats.count_room())
        await house.keep_seats(offer("table_1", 2, "ada"))  # of which one is played already
        with refused(NoHouseBot, "all seats of the workers that play for them are taken"):
            await house.keep_seats(offer("table_2", 1, "ada"))
        return rooms

    assert loop.run(check()) == [1, 1, 1]


def test_seats_offered_again_count_once_and_can_be_taken_back(apart_url, loop):
    async def check():
        house = House(HouseSeats(connect_aio(apart_url)), None, None)
        offers = offer("table_1", 10, "ada")
        await house.seats.renew_seats("worker", 10, [], [])
        await house.keep_seats(offers)
        await house.keep_seats(offers)
        counts = [await house.seats.count_seats_of("ada")]
        await house.seats.withdraw_offers(offers[:3])
        return [*counts, await house.seats.count_seats_of("ada")], len(await house.seats.list_overdue())

    assert loop.run(check()) == ([10, 7], 7)


def test_seats_that_an_account_has_already_are_not_refused_to_it_again(apart_url, loop):
    """Its caller may repeat the call, since its answer was lost, when workers have gone meanwhile."""

    async def check():
        house = House(HouseSeats(connect_aio(apart_url)), None, None)
        await house.seats.renew_seats("worker", 32, [], [])
        tables = [offer(f"table_{number}", 8, f"guest:{number}", "network:class") for number in range(3)]
        for table in tables:
            await house.keep_seats(table)
        await house.seats.claim_seat(("table_0", 0), "worker")
        await house.seats.renew_seats("worker", 0, [], [])
        await house.keep_seats(tables[0])
        with refused(QuotaReached, "16 house bots sit at tables of guests from your network; 18 are"):
            await house.keep_seats(offer("table_0", 9, "guest:0", "network:class"))
        with refused(NoHouseBot, "no worker of the arena plays for them"):
            await house.keep_seats(offer("table_0", 8, "guest:3", "network:other"))
        return [await house.seats.count_seats_of(f"guest:{number}") for number in range(3)]

    assert loop.run(check()) == [8, 8, 8]


class TableEngine:
    """Opens a table for two."""

    async def open_table(self, first, time, players):
        return Opened("table_1", ["t0", "t1"])


async def choose_greedy(rules, seats, count, seed):
    return [PlayerOfTable("house", "house", "greedy")] * count


@pytest.fixture
def matcher(arena, apart_url, loop):
    """Return a matcher with one open seek, at whose tables a house bot sits."""

    async def prepare():
        made = arena.matcher(apart_url, TableEngine())
        made.house.choose_bots = choose_greedy
        await made.house.seats.renew_seats("worker", 5, [], [])
        await made.seeks.open_seek(seek("seek_1", "ada"))
        return made

    return loop.run(prepare())


def test_seats_of_a_table_whose_seekers_are_another_replica_s_are_taken_back(matcher, loop):
    async def check():
        one = WaitingSeek(seek("seek_1", "ada"), 0, here=True)
        assert await matcher._open_table(("seek_1", None), {"seek_1": one}, "mark") is None
        seats = matcher.house.seats
        return await seats.count_seats_of("ada"), await seats.list_overdue()

    assert loop.run(check()) == (0, [])


@pytest.mark.parametrize("script", ["_take", "_seat", "_offer"])
def test_who_is_seated_stays_seated_though_the_answer_of_redis_is_lost(matcher, loop, script):
    owner = matcher.house.seats if script == "_offer" else matcher.seeks
    setattr(owner, script, lose_first_answer(getattr(owner, script)))

    async def check():
        one = WaitingSeek(seek("seek_1", "ada"), 0, here=True)
        await matcher._seat_group(("seek_1", None), {"seek_1": one})
        (standing,) = await matcher.seeks.tend_seeks([one.seek])
        return standing.state, standing.seating.table_id, await matcher.house.seats.count_seats_of("ada")

    matcher.house.wake_workers = pass_over
    assert loop.run(check()) == ("seated", "table_1", 1)


def test_a_seek_that_was_opened_is_no_obstacle_to_itself_when_the_answer_of_redis_is_lost(matcher, loop):
    one = seek("seek_2", "eve")
    matcher.seeks._begin = lose_first_answer(matcher.seeks._begin)
    loop.run(matcher.seeks.open_seek(one))
    assert loop.run(matcher.seeks.find_seek("seek_2")) == one


async def pass_over():
    """Wake nobody."""


def test_it_is_said_why_no_house_bot_can_sit_down(apart_url, loop):
    async def check(count, *rooms):
        seats = HouseSeats(connect_aio(apart_url))
        for number, room in enumerate(rooms):
            await seats.renew_seats(f"worker-{number}", room, [("table_1", number)], [])
        await seats.renew_seats("worker-that-ends", 0, [], [])
        await House(seats, None, None).keep_seats(offer("table_9", count, "ada"))

    with refused(NoHouseBot, "no worker of the arena plays for them"):
        loop.run(check(1))
    with refused(NoHouseBot, "all seats of the workers that play for them are taken"):
        loop.run(check(4, 0, 0))
    with refused(NoHouseBot, "Only 3 of 4 house bots can sit down just now"):
        loop.run(check(4, 1, 2))
    loop.run(check(4, 2, 2))


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

    assert loop.run(check()) == (3 - kept, kept)


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
