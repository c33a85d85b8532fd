"""Live tables: who may do what, what a reply does, clocks and windows."""

import json
import threading
from contextlib import suppress

import pytest

from bench.support.patience import patient
from maumau import game
from maumau.errors import (
    BadRequest,
    BadSeatToken,
    IllegalAction,
    MaumauError,
    UnknownTable,
)
from maumau.v1 import engine_pb2 as pb
from tests.support.arenas.engine import make_table
from tests.support.arenas.seat import Player, Seat, first_action
from tests.support.kinds import one_of
from tests.support.waiting import until

ALL = game.variants()


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", one_of(4, ALL))
def test_a_deal_of_every_variant_is_played_to_its_end(admin, engine, name):
    table, tokens = make_table(admin, name, game.load(name).seats[0], {"window_ms": 2000})
    players = [Player([engine], token) for token in tokens]
    ends = [player.ended() for player in players]
    assert all(end["places"] == ends[0]["places"] for end in ends)
    assert all(not player.errors and not player.refused for player in players)
    told = admin.GetTable(table_id=table.id).table
    assert told.state == pb.TABLE_STATE_OVER
    assert list(told.places) == ends[0]["places"]
    assert engine.Verify(record=told.record).ok


def test_a_seat_is_told_the_same_as_in_a_block(admin, engine):
    """Hello, questions, the end and bye, as docs/reference/protocol.md has them."""
    _, tokens = make_table(admin, "prsi")
    players = [Player([engine], token) for token in tokens]
    assert all(player.ended() for player in players)
    hello, *asks, end, bye = [json.loads(line) for line in players[0].lines]
    assert hello["hello"] == 1
    assert hello["rules"]["hash"] == game.load("prsi").hash
    assert "rng" in asks[0]
    assert not any("rng" in ask for ask in asks[1:])
    assert all(ask["legal"] and ask["bank_ms"] > 0 for ask in asks)
    assert end["end"]["fault"] is None
    assert bye == {"bye": True}


@pytest.mark.long
def test_the_events_of_a_seat_are_told_once_and_in_order(admin, engine):
    table, tokens = make_table(admin, "pesten", 3)
    players = [Player([engine], token) for token in tokens]
    assert all(player.ended() for player in players)
    d = game.replay(admin.GetTable(table_id=table.id).table.record)
    for seat, player in enumerate(players):
        told = [json.loads(line) for line in player.lines]
        events = [event for one in told for event in (one.get("end") or one).get("events", [])]
        assert events == d.seen(seat)


def test_nothing_begins_before_everybody_has_come(admin, engine):
    table, tokens = make_table(admin)
    one = Seat(engine, tokens[0])
    assert one.wait("seated").table.state == pb.TABLE_STATE_WAITING
    one.answer("draw", cursor=1)
    assert one.wait("refused").refusal.reason == "NOT_ASKED"
    other = Seat(engine, tokens[1])
    assert one.question()["ask"]
    assert admin.GetTable(table_id=table.id).table.state == pb.TABLE_STATE_PLAYING
    one.leave()
    other.leave()


def test_a_table_to_which_nobody_comes_is_void(admin, engine):
    table, tokens = make_table(admin, time={"join_ms": 300})
    alone = Player([engine], tokens[1])
    alone.join(30)
    assert alone.void == "nobody came to A"
    told = until(lambda: (t := admin.GetTable(table_id=table.id).table).state == pb.TABLE_STATE_VOID and t)
    assert not told.places
    unwatched, _ = make_table(admin, time={"join_ms": 100})
    state = lambda: admin.GetTable(table_id=unwatched.id).table.state  # noqa: E731
    until(lambda: state() == pb.TABLE_STATE_VOID)


@pytest.fixture
def begun(admin, engine):
    """Yield a table of two at which somebody sits at each seat; A has been asked."""
    table, tokens = make_table(admin)
    seats = [Seat(engine, token) for token in tokens]
    asked = seats[0].question()
    yield table, seats, asked
    for seat in seats:
        seat.leave()


def test_what_is_not_allowed_costs_nothing_and_the_question_stands(begun):
    _, (one, _), asked = begun
    for line, reason in (
        ("XX", "ILLEGAL_ACTION"),
        ("nonsense", "UNREADABLE_ACTION"),
        ('{"act":', "UNREADABLE_ACTION"),
        ("!", "ILLEGAL_ACTION"),
        ('{"act":"draw","also":["accuse@B:mau"]}', "ILLEGAL_ACTION"),
        ("x" * 5000, "BAD_REQUEST"),
    ):
        op = one.answer(line)
        refused = one.wait("refused")
        assert (refused.op_id, refused.refusal.reason) == (op, reason)
        assert refused.refusal.message
    op = one.answer(first_action(asked))
    assert one.wait("taken").op_id == op


def test_the_same_reply_five_times_counts_once(begun, admin):
    table, (one, _), asked = begun
    before = one.cursor
    for _ in range(5):
        one.answer(first_action(asked), op="once", cursor=before)
    taken = [part for _, (kind, part) in zip(range(5), one, strict=False) if kind == "taken"]
    assert taken
    assert {part.op_id for part in taken} == {"once"}
    assert admin.GetTable(table_id=table.id).table.cursor <= before + 1


def test_a_reply_to_an_old_question_is_refused(begun):
    _, (one, _), asked = begun
    old = one.cursor
    one.answer(first_action(asked))
    one.wait("taken")
    for cursor in (old, 10**9):
        one.answer("draw", cursor=cursor)
        assert one.wait("refused").refusal.reason == "STALE_TURN"


def test_only_who_is_asked_may_answer(begun):
    _, (one, other), _ = begun
    other.wait("line")
    other.answer("draw", cursor=one.cursor)
    assert other.wait("refused").refusal.reason == "NOT_ASKED"


def test_a_reply_has_a_word_of_its_own(begun):
    _, (one, _), asked = begun
    one.sent.put(pb.PlayRequest(reply=pb.PlayReply(cursor=one.cursor, line=first_action(asked))))
    assert one.wait("refused").refusal.reason == "BAD_REQUEST"
    one.answer(first_action(asked), op="x" * 65)
    assert one.wait("refused").refusal.reason == "BAD_REQUEST"


def test_of_two_streams_the_newer_plays_and_the_older_is_told(begun, engine):
    _, (one, _), asked = begun
    newer = Seat(engine, one.token)
    one.wait("replaced")
    assert newer.question()["legal"] == asked["legal"]
    newer.answer(first_action(asked))
    assert newer.wait("taken")
    newer.leave()


def test_who_comes_back_after_the_end_is_told_it(admin, engine):
    _, tokens = make_table(admin, "prsi")
    players = [Player([engine], token) for token in tokens]
    ends = [player.ended() for player in players]
    for seat, player in enumerate(players):
        last = next(line for line in reversed(player.lines) if '"ask"' in line)
        back = Seat(engine, tokens[seat], after=player.cursors[last])
        assert [json.loads(part.line) for kind, part in back if kind == "line"] == [
            {"deal": 0, "end": ends[seat]}, {"bye": True},
        ]  # fmt: skip


@pytest.mark.parametrize("token", ["", "x", "table_x/0/y", "table_x", "a/b/c"])
def test_no_other_word_is_the_token_of_a_seat(engine, token):
    with pytest.raises((BadSeatToken, UnknownTable)):
        Seat(engine, token).wait("seated")


def test_a_token_fits_only_its_own_seat(begun, engine):
    _, (one, other), _ = begun
    table_id, _, rest = one.token.partition("/")
    secret = rest.partition("/")[2]
    for wrong in (f"{table_id}/1/{secret}", f"{table_id}/7/{secret}", one.token[:-1], one.token + "x"):
        with pytest.raises(BadSeatToken):
            Seat(engine, wrong).wait("seated")
        with pytest.raises(BadSeatToken):
            engine.GetView(seat_token=wrong)
    hands = [json.loads(engine.GetView(seat_token=seat.token).view.line)["hand"] for seat in (one, other)]
    assert hands[0] != hands[1]


def test_hello_comes_first_and_once(begun, engine):
    _, (one, _), _ = begun
    silent = Seat(engine, one.token)
    silent.sent.put(pb.PlayRequest(hello=pb.PlayHello(seat_token=one.token)))
    with pytest.raises(BadRequest, match="once"):
        list(silent)
    early = Seat.__new__(Seat)
    call = engine.stub.Play(iter([pb.PlayRequest(reply=pb.PlayReply())]), timeout=patient(20))
    early.call, early.cursor = call, 0
    with pytest.raises(BadRequest, match="hello"):
        list(early)
    with pytest.raises(BadRequest, match="has not come to"):
        list(Seat(engine, one.token, after=10**6))


def test_a_seat_whose_time_is_over_has_lost(admin, engine):
    table, tokens = make_table(admin, time={"bank_ms": 300, "increment_ms": 0})
    asleep = Seat(engine, tokens[0])
    other = Player([engine], tokens[1])
    end = other.ended()
    assert end["places"] == [2, 1]
    told = admin.GetTable(table_id=table.id).table
    assert "forfeit A time" in told.record
    assert engine.Verify(record=told.record).ok
    late = json.loads([part.line for kind, part in asleep if kind == "line"][-2])
    assert late["end"]["fault"] == "time"
    assert told.clocks_ms[0] == 0


def test_at_a_table_of_three_a_stand_in_plays_on(admin, engine):
    table, tokens = make_table(admin, seats=3, time={"bank_ms": 1500, "increment_ms": 500})
    asleep = Seat(engine, tokens[0])
    others = [Player([engine], token) for token in tokens[1:]]
    ends = [player.ended() for player in others]
    assert ends[0]["places"][0] == 3
    assert min(ends[0]["places"][1:]) == 1
    record = admin.GetTable(table_id=table.id).table.record
    after = record.partition("forfeit A time\n")[2]
    assert any(line.startswith("B ") for line in after.splitlines())
    asleep.leave()


def question(seat):
    """Return the next question; None also if the stream was cut off."""
    with suppress(MaumauError):
        return seat.question()


def window_table(admin, engine, window_ms):
    """Return a table of the Swiss rules with a window open to several seats: players, and those asked."""
    for _ in range(20):
        table, tokens = make_table(admin, "schweizer", 3, {"window_ms": window_ms})
        seats = [Seat(engine, token) for token in tokens]
        opened = []
        lock = threading.Lock()

        def play(number, seat, opened=opened, lock=lock):
            while (told := question(seat)) is not None:
                if told["ask"] == "window" and told["legal"] == ["hold"]:
                    with lock:
                        opened.append((number, told))
                    return
                seat.answer(first_action(told))

        threads = [threading.Thread(target=play, args=pair, daemon=True) for pair in enumerate(seats)]
        for thread in threads:
            thread.start()
        try:
            until(lambda opened=opened: len(opened) == 2, 8)
        except AssertionError:
            continue
        return table, seats, opened[:2]  # unasked seats play on, and may be asked in the next one
    raise AssertionError("no window")


def test_what_one_says_in_a_window_nobody_sees_before_it_has_closed(admin, engine):
    table, seats, opened = window_table(admin, engine, 60_000)
    (one, _), (two, _) = opened
    before = admin.GetTable(table_id=table.id).table
    seen = [admin.GetView(seat_token=seat.token).view.line for seat in seats]
    accusation = opened[0][1].get("also", [None])[0]
    seats[one].answer(json.dumps({"act": "hold", "also": [accusation] if accusation else []}))
    seats[one].wait("taken")
    after = admin.GetTable(table_id=table.id).table
    assert (after.cursor, list(after.clocks_ms)) == (before.cursor, list(before.clocks_ms))
    now = [admin.GetView(seat_token=seat.token).view.line for seat in seats]
    assert [line for seat, line in enumerate(now) if seat != one] == [
        line for seat, line in enumerate(seen) if seat != one
    ]
    assert json.loads(now[one])["ask"] == ""
    seats[two].answer("hold")
    seats[two].wait("taken")
    until(lambda: admin.GetTable(table_id=table.id).table.cursor > before.cursor)
    for seat in seats:
        seat.leave()


def test_a_window_that_nobody_answers_closes_by_itself_and_costs_no_bank(admin, engine):
    table, seats, opened = window_table(admin, engine, 700)
    before = admin.GetTable(table_id=table.id).table
    later = until(lambda: (t := admin.GetTable(table_id=table.id).table).cursor > before.cursor and t)
    for number, _ in opened:
        if later.turn != number:
            assert later.clocks_ms[number] == before.clocks_ms[number]
    for seat in seats:
        seat.leave()


def test_an_illegal_action_has_the_words_of_the_rules(begun):
    _, (one, _), _ = begun
    one.answer("XX")
    words = one.wait("refused").refusal.message
    assert "XX" in words
    assert IllegalAction.reason == "ILLEGAL_ACTION"
