"""Live tables as others see them: watched, listed, closed, refused, and that nothing hidden is seen."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import redis

from maumau import game
from maumau.errors import (
    BadClock,
    BadDeal,
    BadRequest,
    MissingToken,
    NotYours,
    QuotaReached,
    TableEnded,
    UnknownTable,
    UnknownVariant,
)
from maumau.v1 import engine_pb2 as pb
from services.engine.replica import Replica
from tests.support.arenas.engine import make_table
from tests.support.arenas.seat import Player, Seat
from tests.support.waiting import until


def test_watchers_follow_from_a_cursor_and_see_no_hand(admin, engine):
    table, tokens = make_table(admin, "prsi", 3)
    heard = []
    thread = threading.Thread(
        target=lambda: heard.extend(admin.stream("WatchTable", pb.WatchTableRequest(table_id=table.id)))
    )
    thread.start()
    players = [Player([engine], token) for token in tokens]
    assert all(player.ended() for player in players)
    thread.join(30)
    assert heard[0].table.state in (pb.TABLE_STATE_WAITING, pb.TABLE_STATE_PLAYING)
    assert heard[-1].table.state == pb.TABLE_STATE_OVER
    news = [part.news for part in heard if part.HasField("news")]
    events = [event for one in news for event in json.loads(one.line)["events"]]
    d = game.replay(heard[-1].table.record)
    assert events == d.watched()
    secrets = {"hand", "hands", "legal", "call", "shown", "drawn", "rng", "seed"}
    assert not any(secrets & json.loads(one.line).keys() for one in news)
    middle = news[len(news) // 2].cursor
    request = pb.WatchTableRequest(table_id=table.id, after=middle)
    rest = [part.news for part in admin.stream("WatchTable", request) if part.HasField("news")]
    later = [event for one in rest for event in json.loads(one.line)["events"]]
    assert events[len(events) - len(later) :] == later
    assert len(later) < len(events)


def test_an_ended_table_is_not_kept_in_memory_once_nobody_follows_it(arena, admin, engine):
    def refolds():
        return arena.server.registry.get_sample_value("maumau_engine_refolds_total")

    table, tokens = make_table(admin, "prsi")
    assert all(player.ended() for player in [Player([engine], token) for token in tokens])
    before = refolds()
    until(lambda: admin.GetTable(table_id=table.id).table.record and refolds() > before)
    before = refolds()
    assert admin.GetTable(table_id=table.id).table.record
    assert refolds() > before  # looking at it does not keep it either
    closed, _ = make_table(admin, "prsi")
    admin.CloseTable(table_id=closed.id)
    before = refolds()
    assert admin.GetTable(table_id=closed.id).table.state == pb.TABLE_STATE_VOID
    assert refolds() > before


def test_the_deal_cannot_be_known_before_its_end(admin, engine):
    """No message to a seat or a watcher has the seed, the secret, a seat's token or another hand's cards."""
    table, tokens = make_table(admin, seats=3)
    seats = [Seat(engine, token, news=True) for token in tokens]
    asked = seats[0].question()
    said = [str(admin.GetTable(table_id=table.id)), str(admin.ListTables())]
    said.append(str(admin.GetView(table_id=table.id)))
    hands = [set(json.loads(admin.GetView(seat_token=token).view.line)["hand"]) for token in tokens]
    assert set(asked["hand"]) == hands[0]
    open_cards = {asked["top"]}
    for hidden in (hands[1] | hands[2]) - hands[0] - open_cards:
        assert f'"{hidden}"' not in json.dumps(asked["events"] + [asked["top"]])
        assert not any(f'\\"{hidden}\\"' in text for text in said)
    with redis.Redis.from_url(admin_redis(admin), decode_responses=True) as client:
        head = json.loads(client.hget(f"maumau:table:{{{table.id}}}", "head"))
        kept = json.dumps(client.hgetall(f"maumau:table:{{{table.id}}}"))
    assert not any(head["secret"] in text for text in said)
    assert not any(token in text for text in [*said, kept] for token in tokens)
    for seat in seats:
        seat.leave()


def admin_redis(admin):
    return admin.redis_url


def test_after_the_end_the_deal_follows_from_the_secret(admin, engine):
    table, tokens = make_table(admin)
    assert all(player.ended() for player in [Player([engine], token) for token in tokens])
    from maumau.contest.seed import compute_commitment, deal_seed

    told = admin.GetTable(table_id=table.id).table
    assert compute_commitment(told.secret) == table.commitment
    assert f"[seed {deal_seed(told.secret, told.rules.hash, told.id, 0)}]" in told.record


def test_hands_are_shown_while_it_is_played_only_where_the_table_says_so(admin, engine):
    table, tokens = make_table(admin)
    with pytest.raises(BadRequest, match="when it has ended"):
        list(admin.stream("WatchTable", pb.WatchTableRequest(table_id=table.id, hands=True)))
    table, tokens = make_table(admin, hands=pb.HANDS_DELAYED, delay_seconds=1)
    players = [Player([engine], token) for token in tokens]
    assert all(player.ended() for player in players)
    parts = list(admin.stream("WatchTable", pb.WatchTableRequest(table_id=table.id, hands=True)))
    news = [json.loads(part.news.line) for part in parts if part.HasField("news")]
    assert [event for one in news for event in one["events"]] == game.replay(parts[-1].table.record).events
    assert all(len(one["hands"]) == 2 for one in news)


def test_news_tell_a_seat_what_others_do(admin, engine):
    table, tokens = make_table(admin, seats=3)
    watching = Seat(engine, tokens[2], news=True)
    others = [Player([engine], token) for token in tokens[:2]]
    told = json.loads(watching.wait("news").line)
    assert told["ask"] == ""
    assert told["legal"] == []
    assert len(told["hand"]) > 0
    watching.leave()
    admin.CloseTable(table_id=table.id)
    for player in others:
        player.ended()


def test_who_made_a_table_closes_it_and_everybody_is_told(arena, engine):
    mine, other = arena.engine(arena.author()), arena.engine(arena.author())
    table, tokens = make_table(mine)
    players = [Player([engine], token, choose=lambda told: "") for token in tokens]
    until(lambda: mine.GetTable(table_id=table.id).table.state == pb.TABLE_STATE_PLAYING)
    with pytest.raises(NotYours):
        other.CloseTable(table_id=table.id)
    closed = mine.CloseTable(table_id=table.id, words="rain").table
    assert (closed.state, closed.words) == (pb.TABLE_STATE_VOID, "rain")
    for player in players:
        player.join(30)
        assert player.void == "rain"
    with pytest.raises(TableEnded):
        mine.CloseTable(table_id=table.id)


def test_an_unlisted_table_is_seen_by_who_made_it_alone(arena, engine):
    mine, other = arena.engine(arena.author()), arena.engine(arena.author())
    table, tokens = make_table(mine, unlisted=True)
    assert mine.GetTable(table_id=table.id).table.unlisted
    with pytest.raises(UnknownTable):
        other.GetTable(table_id=table.id)
    assert table.id not in {one.id for one in other.ListTables().tables}
    seat = Seat(engine, tokens[0])
    assert seat.wait("seated").table.id == table.id
    seat.leave()


def test_tables_are_listed_in_pages(arena):
    mine = arena.engine(arena.author())
    made = [make_table(mine)[0].id for _ in range(3)]
    page = mine.ListTables(page_size=2)
    assert [one.id for one in page.tables] == sorted(made, reverse=True)[:2]
    rest = mine.ListTables(page_size=200, page_token=page.next_page_token)
    assert made[0] in {one.id for one in rest.tables}
    for table_id in made:
        mine.CloseTable(table_id=table_id)
    ended = {one.id: one.record for one in mine.ListTables(ended=True).tables}
    assert set(made) <= ended.keys()
    assert not any(ended.values())


def test_tables_that_somebody_keeps_to_themselves_cost_a_list_of_others_no_fold(arena, monkeypatch):
    mine, other = arena.engine(arena.author()), arena.engine(arena.author())
    hidden = make_table(mine, unlisted=True)[0].id
    mine.CloseTable(table_id=hidden)
    opened, open_ = [], Replica.open_table

    async def counted(replica, table_id):
        opened.append(table_id)
        return await open_(replica, table_id)

    monkeypatch.setattr(Replica, "open_table", counted)
    assert hidden not in {one.id for one in other.ListTables(ended=True).tables}
    assert hidden not in opened
    assert hidden in {one.id for one in mine.ListTables(ended=True).tables}


def test_an_account_has_so_many_open_tables_and_no_more(arena):
    mine = arena.engine(arena.author())
    made = [make_table(mine)[0].id for _ in range(20)]
    with pytest.raises(QuotaReached, match="20 open tables"):
        make_table(mine)
    mine.CloseTable(table_id=made[0])
    made.append(make_table(mine)[0].id)
    for table_id in made[1:]:
        mine.CloseTable(table_id=table_id)


@pytest.mark.long
def test_many_calls_at_once_make_no_more_tables(arena):
    mine = arena.engine(arena.author())

    def make_one(_):
        with suppress(QuotaReached):
            return make_table(mine)[0].id

    with ThreadPoolExecutor(15) as several:
        made = [table_id for table_id in several.map(make_one, range(45)) if table_id]
    assert 1 <= len(made) <= 20
    for table_id in made:
        mine.CloseTable(table_id=table_id)


@pytest.mark.parametrize(
    ("error", "fields"),
    [
        (UnknownVariant, {"name": "skat"}),
        (BadDeal, {"seats": 1}),
        (BadDeal, {"seats": 400}),
        (BadClock, {"time": {"bank_ms": 99}}),
        (BadClock, {"time": {"bank_ms": 2**32 - 1}}),
        (BadClock, {"time": {"increment_ms": 600_001}}),
        (BadClock, {"time": {"window_ms": 1}}),
        (BadRequest, {"names": ["a", "b", "c"]}),
        (BadRequest, {"hands": pb.HANDS_DELAYED}),
        (BadRequest, {"hands": 7}),
    ],
)
def test_a_table_that_cannot_be_is_refused_in_words(admin, error, fields):
    with pytest.raises(error) as caught:
        make_table(admin, **fields)
    assert len(str(caught.value)) > 10


def test_tables_are_made_and_seen_with_a_token(engine):
    for call in (lambda: make_table(engine), engine.ListTables, lambda: engine.GetView(table_id="x")):
        with pytest.raises(MissingToken):
            call()


def test_what_is_not_there_is_said(admin):
    for table_id in ("", "x", "table_" + "0" * 26):
        with pytest.raises(UnknownTable):
            admin.GetTable(table_id=table_id)
