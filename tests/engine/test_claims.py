"""Claims of seats: whoever has a used link neither sees, plays nor leaves another one's seat."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from maumau.errors import SeatTaken
from maumau.v1 import engine_pb2 as pb
from tests.support.arenas.engine import ADMIN, PAGE, WORKER, make_table
from tests.support.arenas.seat import Player, Seat

MINE, OTHER = "ab" * 16, "cd" * 16


def see(engine, token: str, claim: str = "") -> None:
    engine.GetView(seat_token=token, claim=claim)


def come(engine, token: str, claim: str = "") -> None:
    with coming(engine, token, claim=claim):
        pass


def leave(engine, token: str, claim: str = "") -> None:
    with coming(engine, token, claim=claim) as seat:
        seat.give_up()
        seat.wait("taken")


def reply(engine, token: str, claim: str = "") -> None:
    with coming(engine, token, claim=claim) as seat:
        seat.answer("nonsense", cursor=1)
        seat.wait("refused")


DOORS = (see, come, reply, leave)


@contextmanager
def coming(engine, token: str, **fields: str) -> Iterator[Seat]:
    """Yield a stream of a seat, which has taken it."""
    seat = Seat(engine, token, **fields)
    try:
        seat.wait("seated")
        yield seat
    finally:
        seat.leave()


@pytest.fixture
def callers(arena):
    """Engines as everybody but the page calls them; "host" has made the table."""
    return {"host": arena.engine(arena.author()), "nobody": arena.engine(), "worker": arena.engine(WORKER)}


def make_played(callers, **first: str) -> tuple[str, list[str]]:
    """Return a table at which somebody has come to B in this way, and to A without a claim."""
    table, tokens = make_table(callers["host"])
    come(callers["nobody"], tokens[1], **first)
    come(callers["host"], tokens[0])
    assert callers["host"].GetTable(table_id=table.id).table.state == pb.TABLE_STATE_PLAYING
    return table.id, tokens


def goes_on(callers, table_id: str) -> bool:
    """Return True if the table goes on without a fault."""
    return callers["host"].GetTable(table_id=table_id).table.state == pb.TABLE_STATE_PLAYING


@pytest.mark.sample
@pytest.mark.parametrize("door", DOORS)
def test_a_claimed_seat_is_entered_by_its_claim_alone(callers, arena, door) -> None:
    table_id, tokens = make_played(callers, claim=MINE)
    for name, engine in (*callers.items(), ("admin", arena.engine(ADMIN)), ("page", arena.engine(PAGE))):
        for claim in ("", OTHER):
            if (name, claim) != ("page", ""):
                with pytest.raises(SeatTaken):
                    door(engine, tokens[1], claim)
    assert goes_on(callers, table_id)
    door(callers["nobody"], tokens[1], MINE)


@pytest.mark.parametrize("door", DOORS)
def test_the_page_enters_without_one_as_a_replica_of_the_last_release_does(callers, arena, door) -> None:
    _, tokens = make_played(callers, claim=MINE)
    door(arena.engine(PAGE), tokens[1])


@pytest.mark.parametrize("door", DOORS)
def test_a_seat_without_a_claim_is_entered_by_its_token_alone(callers, door) -> None:
    _, tokens = make_played(callers)
    with pytest.raises(SeatTaken):
        door(callers["nobody"], tokens[1], MINE)
    door(callers["host"], tokens[1])


def test_a_stream_that_another_one_has_replaced_does_not_give_the_seat_up(callers, arena) -> None:
    """The replaced stream's own engine may hear of it late; the store has the last word."""
    table_id, tokens = make_played(callers)
    with arena.replica() as address:
        late = arena.engine("", address)
        with coming(late, tokens[1]) as early, coming(callers["nobody"], tokens[1]):
            early.give_up()
            with suppress(SeatTaken):
                kind, part = next((kind, part) for kind, part in early if kind in ("refused", "replaced"))
                assert kind == "replaced" or part.refusal.reason == "SEAT_TAKEN"
    assert goes_on(callers, table_id)


@pytest.mark.sample(3)
@pytest.mark.parametrize("door", DOORS)
def test_a_seat_that_a_worker_plays_for_a_bot_is_for_workers_alone(callers, arena, door) -> None:
    table, tokens = make_table(callers["host"])
    with coming(callers["worker"], tokens[1], bot="rollout"):
        come(callers["host"], tokens[0])
        for engine in (callers["host"], callers["nobody"], arena.engine(PAGE)):
            with pytest.raises(SeatTaken):
                door(engine, tokens[1])
        assert goes_on(callers, table.id)
        shown = callers["host"].GetTable(table_id=table.id).table
        assert list(shown.bot_names) == ["", "rollout"]
    door(callers["worker"], tokens[1])


def test_a_worker_that_comes_after_somebody_else_names_no_bot(callers) -> None:
    table, tokens = make_table(callers["host"])
    come(callers["host"], tokens[1])
    players = [
        Player([callers[who]], token, bot="rollout")
        for who, token in zip(("host", "worker"), tokens, strict=True)
    ]
    assert all(one.ended() for one in players)
    over = callers["host"].GetTable(table_id=table.id).table
    assert (over.state, list(over.bot_names)) == (pb.TABLE_STATE_OVER, [])


@pytest.mark.sample
@pytest.mark.parametrize("made", [{}, {"claim": MINE}, {"bot": "rollout"}, {"claim": MINE, "bot": "rollout"}])
def test_whoever_may_come_may_see_and_nobody_else(callers, arena, made) -> None:
    """The store's script and the check of a view say the same of every way to come to a seat."""
    everybody = {**callers, "page": arena.engine(PAGE), "admin": arena.engine(ADMIN)}
    table, tokens = make_table(callers["host"])
    come(callers["host"], tokens[0])
    found = {}
    with coming(callers["worker"], tokens[1], **made):
        for name, engine in everybody.items():
            for claim in ("", MINE, OTHER):
                found[name, claim] = [is_let(door, engine, tokens[1], claim) for door in (see, come)]
    assert {name for name, (may_see, may_come) in found.items() if may_see != may_come} == set()
    assert goes_on(callers, table.id)


def is_let(door, engine, token: str, claim: str) -> bool:
    with suppress(SeatTaken):
        door(engine, token, claim)
        return True
    return False
