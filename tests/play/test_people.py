"""People who have played bots: the first page names who has beaten a champion, a board counts deals."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from maumau.client.live import Table
from maumau.contest.ladder.time_control import TimeControl
from maumau.errors import SeatTaken
from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.web.call import STUBS
from services.web.client import Arena as Pages
from services.web.public import people
from services.web.public.people import Person, Victory, find_victory, rank_people
from services.web.seat import USUAL_CLOCK
from tests.play.conftest import Guest, open_page
from tests.support.arenas.engine import Calls
from tests.support.arenas.seat import Player, Seat
from tests.support.arenas.tournament import WORKER
from tests.support.waiting import until
from tests.web.visitor import READER

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


def played(number: int, who: str, bots: tuple[str, ...], places: tuple[int, ...], hours: float = 1) -> Table:
    """Return a table that has ended."""
    named = tuple(bot or who for bot in bots)
    return Table(
        f"table_{number}", "prsi", "", len(bots), named, "over", (), None, 9, "", places, places, who, "", "",
        "", tuple(range(len(bots))), NOW - timedelta(hours=hours), bots, USUAL_CLOCK, named=True,
    )  # fmt: skip


TABLES = (
    played(7, "eve", ("", ""), (1, 2)),  # two people, or programs on machines of their own
    played(6, "ada", ("greedy", ""), (2, 1)),
    played(5, "bob", ("", "rollout"), (2, 1)),
    played(4, "guest", ("rollout", "", "greedy"), (2, 1, 3)),
    played(3, "ada", ("fox", ""), (2, 1)),
    played(2, "ada", ("", "rollout"), ()),  # without a result
    played(1, "old", ("", "rollout"), (1, 2), hours=25),
)


def test_the_newest_victory_over_a_champion_is_told() -> None:
    assert find_victory(TABLES, [], NOW) == Victory("", "rollout", "prsi", "table_4")
    assert find_victory(TABLES, ["greedy"], NOW) == Victory("ada", "greedy", "prsi", "table_6")
    assert find_victory(TABLES[:3], ["fox"], NOW) is None


def test_the_board_counts_deals_of_one_person_among_bots() -> None:
    assert rank_people(TABLES, NOW) == (Person("ada", 2, 2), Person("", 1, 1), Person("bob", 0, 1))


def test_who_has_not_chosen_to_be_named_is_a_guest_on_both() -> None:
    hidden = [replace(one, named=False) if one.account_name == "ada" else one for one in TABLES]
    assert find_victory(hidden, ["greedy"], NOW) == Victory("", "greedy", "prsi", "")
    assert rank_people(hidden, NOW) == (Person("", 3, 3), Person("bob", 0, 1))


WON = played(8, "eve", ("", "rollout"), (1, 2))


def slow(**other: int) -> TimeControl:
    return replace(USUAL_CLOCK, **other)


@pytest.mark.parametrize(
    "changed",
    [
        {"faults": ("", "time")}, {"faults": ("", "left")}, {"time": None}, {"time": slow(bank_ms=299_999)},
        {"time": slow(increment_ms=0)}, {"time": slow(window_ms=1500)}, {"delay_seconds": 1},
        {"options_json": '{"hand":1}'}, {"places": (1, 1)}, {"places": (2, 1)}, {"bot_names": ("", "")},
        {"bot_names": ()}, {"state": "void", "places": ()},
    ],
)  # fmt: skip
def test_a_deal_that_was_not_simply_won_is_no_victory(changed) -> None:
    assert find_victory([WON], [], NOW) == Victory("eve", "rollout", "prsi", "table_8")
    assert find_victory([replace(WON, **changed)], [], NOW) is None
    assert all(one.won == 0 for one in rank_people([replace(WON, **changed)], NOW))


@pytest.mark.parametrize("name", ["bank_ms", "increment_ms", "window_ms"])
def test_slower_clocks_than_the_usual_ones_count(name) -> None:
    table = replace(WON, time=slow(**{name: getattr(USUAL_CLOCK, name) + 1}), options_json="{}")
    assert find_victory([table], [], NOW)
    assert rank_people([table], NOW) == (Person("eve", 1, 1),)


def test_a_deal_that_its_person_has_left_is_lost_on_the_board() -> None:
    left = replace(WON, state="void", places=())
    assert rank_people([left, WON], NOW) == (Person("eve", 1, 2),)
    assert rank_people([replace(left, joined=(1,))], NOW) == ()  # it had not begun
    assert rank_people([replace(WON, places=(2, 1), faults=("left", ""))], NOW) == (Person("eve", 0, 1),)
    assert rank_people([replace(WON, faults=("", "time"))], NOW) == ()  # nobody's merit


CLOCKS = {name: getattr(USUAL_CLOCK, name) for name in ("bank_ms", "increment_ms", "window_ms")}


def make_played(arena, **fields) -> tuple[Calls, str, list[str], Seat]:
    """Return a table of an author at which the arena's worker plays B for a champion, and its stream."""
    client, _ = arena.author()
    author = Calls(arena.address, client.token, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    worker = Calls(arena.address, WORKER, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = author.CreateTable(rules={"name": "prsi"}, seats=2, time={**CLOCKS, **fields}, named=True)
    bot = Seat(worker, made.seat_tokens[1], bot="rollout")
    bot.wait("seated")
    return author, made.table.id, list(made.seat_tokens), bot


def find_both(arena, table_id: str) -> tuple[Victory | None, tuple[Person, ...]]:
    """Return the victory and the board of this table alone, as the page reads it."""

    async def ask() -> Table:
        pages = Pages(dict.fromkeys(STUBS, arena.address), READER)
        try:
            return next(one for one in await pages.list_tables(ended=True) if one.id == table_id)
        finally:
            await pages.close()

    tables = [until(lambda: arena.loop.run(ask()))]
    now = datetime.now(UTC)
    return find_victory(tables, [], now), rank_people(tables, now)


def wait_for_end(author: Calls, table_id: str) -> None:
    until(lambda: author.GetTable(table_id=table_id).table.secret)


def test_a_champion_that_is_made_to_lose_is_not_beaten(arena) -> None:
    """The table's owner has the bot's token; if the bot's worker itself gives up, nobody has won either."""
    author, table_id, tokens, bot = make_played(arena)
    own = Seat(author, tokens[0])
    own.wait("seated")
    with pytest.raises(SeatTaken):
        Seat(author, tokens[1]).wait("seated")
    assert not author.GetTable(table_id=table_id).table.faults
    bot.give_up()
    wait_for_end(author, table_id)
    over = author.GetTable(table_id=table_id).table
    assert (list(over.faults), list(over.places)) == (["", "left"], [1, 2])
    assert find_both(arena, table_id) == (None, ())


def test_a_champion_whose_clock_was_set_short_is_not_beaten(arena) -> None:
    author, table_id, tokens, _ = make_played(arena, bank_ms=300, increment_ms=0)
    mine = Player([author], tokens[0])
    assert mine.ended()
    faults = list(author.GetTable(table_id=table_id).table.faults)
    assert faults in (["", "time"], ["time", ""])  # by who leads, and by the host's speed
    assert find_both(arena, table_id) == (None, ())


def test_an_author_who_ends_a_lost_deal_has_lost_it(arena) -> None:
    author, table_id, tokens, _ = make_played(arena)
    Seat(author, tokens[0]).wait("seated")
    name = author.CloseTable(table_id=table_id, words="the player left").table.account_name
    assert find_both(arena, table_id) == (None, (Person(name, 0, 1),))


def test_what_a_seat_is_called_makes_no_bot_of_it(arena) -> None:
    engine = Calls(arena.address, READER, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = engine.CreateTable(rules={"name": "prsi"}, seats=2, guest="ad" * 16, names=["ada", "rollout"])
    client, _ = arena.author()
    author = Calls(arena.address, client.token, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    players = [
        Player([one], token, bot="rollout")
        for one, token in zip((engine, author), made.seat_tokens, strict=True)
    ]
    assert all(one.ended() for one in players)
    assert list(engine.GetTable(table_id=made.table.id).table.bot_names) == []


@pytest.fixture
def guest(arena) -> Iterator[Guest]:
    """Yield a guest of a page that has not looked for victories yet."""
    with open_page(arena, guests=True) as page:
        yield Guest(page.port)


@pytest.mark.long
def test_a_person_s_victory_stands_on_the_first_page_and_on_the_board(guest, monkeypatch) -> None:
    monkeypatch.setattr(people, "CHAMPIONS", ("greedy",))
    monkeypatch.setattr("services.web.public.home.VICTORY_PAUSE", 0)
    monkeypatch.setattr("services.web.play.pages.PEOPLE_SECONDS", 0)
    while "You have won!" not in guest.play_to_the_end(guest.deal("prsi_quick")).words:
        pass
    told = until(lambda: shown if "and won" in (shown := guest.get("/").words) else None, 20)
    assert "Prší, quick: A guest has played greedy and won." in told
    assert "Prší, schnell: Ein Gast hat gegen greedy gespielt" in guest.get("/", accept_language="de").words
    assert "guests and all others" in guest.get("/play").words
