"""Seekers of the same game meet at a table, whose result is kept and rated."""

import asyncio
from collections import Counter

import grpc
import pytest
import redis
from msgspec.structs import replace

from maumau.cli.player.seek import _Table
from maumau.client.call import rpc_errors
from maumau.client.live import Tables
from maumau.client.seek import Seeks, Told, Wish
from maumau.contest.ladder.time_control import TimeControl
from maumau.errors import (
    AlreadySeeking,
    BadClock,
    BadDeal,
    BadName,
    BadOption,
    BadRequest,
    NotAllowed,
    NotYours,
    QuotaReached,
    TooManyStreams,
    UnknownSeek,
    UnknownVariant,
)
from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.matchmaking.live import wire
from services.matchmaking.live.client import Opened
from services.matchmaking.store.live_tables.seek import Seek
from tests.support.arenas.calls import refused
from tests.support.arenas.engine import Calls
from tests.support.arenas.seat import Player
from tests.support.arenas.tournament import WORKER
from tests.support.waiting import until


class Author:
    """An account with a program that chooses the first action."""

    def __init__(self, arena):
        self.arena = arena
        self.client, self.name = arena.author()
        self.calls = arena.live_calls(self.client.token)
        self.seeks = Seeks(arena.address, self.client.token)
        self.engine = Calls(arena.address, self.client.token, engine_pb2, engine_pb2_grpc.EngineServiceStub)


def seek(seek_id, account):
    return Seek(
        id=seek_id, rules="prsi", options_json="{}", hash="race", seats=2, time=TimeControl(),
        account_id=account, account_name=account, bot_name="b", rated=True, range=0, rating=0.0,
        house_after=None,
    )  # fmt: skip


def is_here(arena, seek_id):
    with redis.Redis.from_url(arena.settings.redis_url, decode_responses=True) as client:
        return client.hget(f"maumau:seek:{{{seek_id}}}", "here")


def open_seeks(arena):
    return [one.seek for one in arena.loop.run(arena.seeks().list_waiting())]


@pytest.fixture
def ada(arena):
    return Author(arena)


@pytest.fixture
def bob(arena):
    return Author(arena)


def test_two_who_seek_the_same_game_meet_and_their_game_is_rated(arena, ada, bob):
    wish = Wish(rules="neuner", bot_name="mine", rated=True)  # no test has a house bot play it
    waiting = ada.seeks.seek(wish)
    told = next(told for told in waiting if told.words)
    assert told.words == "Nobody else seeks this game."
    assert told.token == ""
    other = [one for one in bob.seeks.seek(wish) if one.token][-1]
    mine = next(one for one in waiting if one.token)
    assert mine.table_id == other.table_id
    assert {mine.seat, other.seat} == {0, 1}
    assert mine.names[mine.seat] == f"mine ({ada.name})"
    assert mine.names[other.seat] == ""
    names = ("", "")
    with Tables(arena.address, ada.client.token) as tables:
        assert tables.table(mine.table_id).names == names
        players = [Player([ada.engine], mine.token)]
        until(lambda: tables.table(mine.table_id).joined)
        assert tables.table(mine.table_id).names == names  # a player who leaves now has seen no names
        players.append(Player([bob.engine], other.token))
        until(lambda: tables.table(mine.table_id).names != names)
        assert tables.table(mine.table_id).names[other.seat] == f"mine ({bob.name})"
    places = [player.ended()["places"] for player in players]
    game = until(lambda: next(iter(ada.seeks.games(account_name=ada.name)), None))
    assert game.table_id == mine.table_id
    assert list(game.places) == places[0] == places[1]
    ratings = {line.account_name: line for line in ada.seeks.ratings("neuner").ratings}
    winner, loser = sorted(
        (ada.name, bob.name), key=lambda name: places[0][[mine, other][name == bob.name].seat]
    )
    assert ratings[winner].elo > ratings[loser].elo
    assert ratings[winner].games == ratings[loser].games == 1
    assert ratings[winner].provisional


def test_nothing_is_said_of_others_before_the_arena_has_looked(arena, apart_url, loop):
    """The first to seek, then a second one who would be told that nobody else does."""

    async def look():
        seeks, matcher = arena.seeks(apart_url), arena.matcher(apart_url, None)
        found = []
        for one in (seek("seek_first", "ada"), replace(seek("seek_second", "bob"), hash="other")):
            await seeks.open_seek(one)
            found.append(matcher.find_prospect(one))
            await matcher.match_seeks()
            found.append(matcher.find_prospect(one))
        (standing,) = await seeks.tend_seeks([one])
        return found, wire.build_seek(one, standing, None).waiting

    found, waiting = loop.run(look())
    assert found == [None, (0, False), None, (0, False)]
    assert (waiting.words, waiting.HasField("house_in_ms")) == ("", False)


def test_the_terminal_says_only_what_is_known_of_a_seek(capsys):
    class Asked:
        def seek(self, wish):
            yield Told("seek_1")
            yield Told("seek_1", house_in=2.0, words="Nobody else seeks this game.")
            yield Told("seek_1", table_id="table_1", seat=0, token="table_1/0/x", names=("ada", "bob"))

    _Table(Asked(), None, None, None, as_json=False)._find_seat(Wish(rules="prsi"))
    said = capsys.readouterr()
    assert said.err == "Nobody else seeks this game. House bots sit down in 2 s.\n"
    assert said.out.split() == ["table_1:", "A", "ada,", "B", "bob,", "unrated"]


def test_who_is_cut_off_goes_on_waiting_and_is_not_seated_meanwhile(arena, ada, bob):
    wish = Wish(rules="mau_mau", bot_name="mine")
    stream = ada.calls.Seek(rules={"name": "mau_mau"}, bot_name="mine")
    seek_id = next(stream).seek_id
    stream.cancel()
    until(lambda: is_here(arena, seek_id) == "0")
    waiting = bob.seeks.seek(wish)
    until(lambda: next(waiting).others == 1)
    resumed = ada.calls.Seek(seek_id=seek_id)
    mine = next(part for part in resumed if part.HasField("seated"))
    other = next(told for told in waiting if told.token)
    assert mine.seek_id == seek_id
    assert mine.seated.table_id == other.table_id
    again = next(ada.calls.Seek(seek_id=seek_id))  # the answer was lost
    assert again.seated.seat_token == mine.seated.seat_token


def test_a_seek_is_nobody_elses(ada, bob):
    stream = ada.calls.Seek(rules={"name": "prsi"}, seats=3)
    seek_id = next(stream).seek_id
    with refused(NotYours), rpc_errors():
        next(bob.calls.Seek(seek_id=seek_id))
    stream.cancel()


@pytest.mark.sample(7)
@pytest.mark.parametrize(
    ("fields", "kind", "words"),
    [
        ({"rules": {"name": "bridge"}}, UnknownVariant, "bridge"),
        ({"rules": {"name": "prsi", "options_json": '{"a":1}'}}, BadOption, "a"),
        ({"rules": {"name": "prsi", "options_json": "{"}}, BadOption, "not a JSON object"),
        ({"rules": {"name": "prsi", "hash": "0" * 64}}, BadRequest, "have the hash"),
        ({"seats": 99}, BadDeal, "played by"),
        ({"seats": 1}, BadDeal, "not by 1"),
        ({"time": {"bank_ms": 99}}, BadClock, "bank_ms is 99"),
        ({"time": {"bank_ms": 4_000_000_000}}, BadClock, "86,400,000"),
        ({"time": {"increment_ms": 600_001}}, BadClock, "increment_ms"),
        ({"time": {"window_ms": 1}}, BadClock, "window_ms"),
        ({"bot_name": "My Bot"}, BadName, "cannot be a bot's name"),
        ({"rated": True}, BadRequest, "needs the name"),
        ({"rating_range": 3001}, BadRequest, "3,000 Elo"),
        ({"house_after": 3601}, BadRequest, "3,600 seconds"),
        ({"seek_id": "seek_none"}, UnknownSeek, "seek again"),
    ],
)
def test_what_cannot_be_sought_is_refused_in_words(ada, fields, kind, words):
    with refused(kind, words), rpc_errors():
        next(ada.calls.Seek(**{"rules": {"name": "prsi"}, **fields}))


def test_a_rated_game_against_oneself_is_refused(ada):
    seek = {"rules": {"name": "schweizer"}, "rated": True}
    stream = ada.calls.Seek(bot_name="mine", **seek)
    next(stream)
    for name in ("mine", "another"):
        with refused(AlreadySeeking, "no account is rated against itself"), rpc_errors():
            next(ada.calls.Seek(bot_name=name, **seek))
    stream.cancel()
    until(lambda: next_or_refused(ada, seek))  # an absent seeker delays no others


def next_or_refused(author, seek):
    stream = author.calls.Seek(bot_name="mine", **seek)
    try:
        return next(stream)
    except grpc.RpcError:
        return None
    finally:
        stream.cancel()


def test_an_account_seeks_so_many_tables_at_once(arena, ada):
    """By the server's limit of streams, and where many servers share a Redis by their number there."""
    clocks = [{"bank_ms": 60_000 + number} for number in range(20)]  # so that they do not meet each other
    streams = [ada.calls.Seek(rules={"name": "pesten"}, seats=4, time=clock) for clock in clocks]
    for stream in streams:
        next(stream)
    with refused(TooManyStreams), rpc_errors():
        next(ada.calls.Seek(rules={"name": "pesten"}, seats=4))
    who = next(one for one in open_seeks(arena) if one.account_name == ada.name)
    with refused(QuotaReached, "20 tables already"):
        arena.loop.run(arena.seeks().open_seek(replace(who, id="seek_more")))
    for stream in streams:
        stream.cancel()


def test_a_result_counts_once_in_whatever_order_they_come(arena, ada, bob):
    """x scores 2.5 of 4, z 1.5 of 3, y 1 of 3; the ratings are the same to the last bit."""
    worker, played = arena.live_calls(WORKER), []
    for number, (first, second, places) in enumerate(
        [("x", "y", [1, 2]), ("y", "z", [2, 1]), ("z", "x", [1, 1]), ("x", "y", [2, 1]), ("x", "z", [1, 2])]
    ):
        players = [
            {"account_id": f"account_{one}", "account_name": one, "bot_name": "b"} for one in (first, second)
        ]
        played.append(
            {"players": players, "places": places, "points": [0, 0], "rated": True, "record": str(number)}
        )

    def rate(rules_hash, order):
        for number in order:
            rules = {"name": "prsi", "hash": rules_hash}
            worker.ReportTable(
                result={**played[number], "rules": rules, "table_id": f"table_{rules_hash}_{number}"}
            )
        return arena.live_table(f"{rules_hash}:2")

    once = rate("once", range(5))
    often = rate("often", [4, 2, 2, 0, 3, 4, 1, 1, 0, 2, 3, 4, 4])
    assert once == often
    assert [line.name.account_id for line in once.lines] == ["account_x", "account_z", "account_y"]
    assert [line.games for line in once.lines] == [4, 3, 3]
    assert worker.ReportTable(result={**played[0], "table_id": "table_once_0"}).stored is False


def test_only_the_arenas_own_services_report_tables_and_only_workers_take_seats(ada):
    with refused(NotAllowed):
        ada.calls.ReportTable()
    with refused(NotAllowed):
        ada.calls.ClaimSeat(table_id="table_x", seat=0)
    with refused(NotAllowed):
        ada.calls.RenewSeats()


def test_two_replicas_that_match_at_once_give_nobody_two_tables(arena, apart_url, loop):
    """Twenty who seek, two replicas that look at the same moment, again and again."""

    async def race():
        seeks, made = arena.seeks(apart_url), []
        wishes = [seek(f"seek_race_{number}", f"account_{number}") for number in range(20)]
        for one in wishes:
            await seeks.open_seek(one)
        await seeks.tend_seeks(wishes)  # on a slow host the first may count as away by now

        class Engine:
            async def open_table(self, first, time, players):
                made.append(players)
                await asyncio.sleep(0)
                return Opened(f"table_{len(made)}", [f"t{seat}" for seat in range(len(players))])

        replicas = [arena.matcher(apart_url, Engine()) for _ in range(2)]
        await asyncio.gather(*(one.match_seeks() for _ in range(5) for one in replicas))
        seated = Counter(player.account_id for players in made for player in players)
        assert len(seated) == 20
        assert set(seated.values()) == {1}
        assert all(len(players) == 2 for players in made)

    loop.run(race())
