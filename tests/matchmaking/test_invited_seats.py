"""House bots take seats of whoever has their tokens: the engine, which made them, is asked for each."""

import redis

from maumau.errors import BadSeatToken, SeatTaken, UnknownTable
from services.shared.base.seat_token import split_token
from tests.matchmaking.test_seek import Author
from tests.support.arenas.calls import refused
from tests.support.arenas.seat import Seat

CLAIM = "c" * 32


def invite_greedy(author, *tokens):
    return author.seeks.invite_house(tokens, ["greedy"])


def read_offer(arena, token):
    """Return the token that workers get for the seat of this one; None if the seat is not on offer."""
    table_id, seat = split_token(token)
    with redis.Redis.from_url(arena.settings.redis_url, decode_responses=True) as client:
        return client.hget(f"maumau:seat:{{{table_id}/{seat}}}", "token")


def forge_token(token):
    """Return a token of the same seat with another secret."""
    return f"{token.rpartition('/')[0]}/{'x' * 43}"


def open_table(arena, author):
    """Return the tokens of a table's two seats, with room at a worker for both."""
    arena.loop.run(arena.house_seats.renew_seats("roomy", 30, [], []))
    return list(author.engine.CreateTable(rules={"name": "prsi"}, seats=2).seat_tokens)


def test_a_seat_on_offer_keeps_its_token_when_somebody_offers_it_with_an_invented_one(arena, house):
    ada, eve = Author(arena), Author(arena)
    tokens = open_table(arena, ada)
    assert invite_greedy(ada, tokens[1]) == ["greedy"]
    with refused(BadSeatToken):
        invite_greedy(eve, forge_token(tokens[1]))
    assert read_offer(arena, tokens[1]) == tokens[1]


def test_an_invented_token_of_a_seat_or_table_is_refused_and_nothing_is_offered(arena, house):
    ada, eve = Author(arena), Author(arena)
    tokens = open_table(arena, ada)
    own = open_table(arena, eve)
    with refused(BadSeatToken):
        invite_greedy(eve, own[0], forge_token(tokens[1]))
    with refused(BadSeatToken):
        invite_greedy(eve, f"{tokens[0].partition('/')[0]}/9/{'x' * 43}")
    with refused(UnknownTable):
        invite_greedy(eve, f"table_{'0' * 26}/1/{'x' * 43}")
    assert [read_offer(arena, one) for one in (*tokens, *own)] == [None] * 4


def test_a_seat_that_a_friend_has_claimed_is_not_offered_to_house_bots(arena, house):
    """The friend came by a link, the host knows the token, too."""
    ada = Author(arena)
    tokens = open_table(arena, ada)
    seat = Seat(ada.engine, tokens[1], claim=CLAIM)
    seat.wait("seated")
    with refused(SeatTaken):
        invite_greedy(ada, tokens[1])
    seat.leave()
    assert read_offer(arena, tokens[1]) is None
