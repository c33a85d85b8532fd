"""Tables that go on from the beginning of a record: the same cards, the same events, and what is refused."""

from __future__ import annotations

import json

import pytest

from maumau import game
from maumau.errors import BadRecord, BadRequest, UnknownTable
from maumau.game.prefix import cut_at_stage, cut_before_event
from maumau.game.replay import replay_stages
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import game_pb2
from tests.support.arenas.engine import ADMIN, make_table
from tests.support.arenas.seat import Player, Seat
from tests.support.kinds import one_of

OWN = """\
title = "Wasp"
source = "at home"
extends = "prsi"
[options]
seven_n = { least = 1, most = 3, default = 3 }
"""


def play_record(rules: game.Rules, seats: int, seed: str = "1") -> str:
    """Return the record of a deal played to its end, by the first action each time."""
    d = game.deal(rules, seats, seed)
    while not d.over:
        seat = d.to_act[0]
        d.apply(seat, game.first_action(d, seat))
    return game.record(d)


def count_stages(record: str, own: game.Rules | None = None) -> int:
    return sum(1 for _ in replay_stages(record, own=own))


def go_on(engine, start: str, **fields):
    """Return a table that goes on from a record, with the tokens of its seats."""
    made = engine.CreateTable(record=start, time=pb.TimeControl(window_ms=2000), **fields)
    return made.table, list(made.seat_tokens)


def check_goes_on(engine, start: str, d: game.Deal, **fields) -> str:
    """Play a table from a record to its end; return the record of the whole deal."""
    table, tokens = go_on(engine, start, **fields)
    assert table.begun_lines == start.count("\n")
    assert (table.seats, table.rules.hash, table.unlisted) == (d.seats, d.rules.hash, True)
    players = [Player([engine], token) for token in tokens]
    ends = [player.ended() for player in players]
    for seat, player in enumerate(players):
        told = json.loads(player.lines[1])
        events = (told if "ask" in told else told["end"])["events"]  # a seat may not be asked any more
        assert events[: len(d.seen(seat))] == d.seen(seat)
        assert not player.errors
        assert not player.refused
    told = engine.GetTable(table_id=table.id).table
    assert list(told.places) == ends[0]["places"]
    assert told.record.startswith(start)
    assert not told.secret
    assert not told.commitment
    return told.record


@pytest.mark.parametrize("name", one_of(4, game.variants()))
def test_a_deal_of_every_variant_goes_on_from_its_middle(admin, name) -> None:
    rules = game.load(name)
    record = play_record(rules, rules.seats[0])
    start, d = cut_at_stage(record, count_stages(record) // 2)
    whole = check_goes_on(admin, start, d)
    assert admin.Verify(record=whole).ok


@pytest.mark.long
@pytest.mark.parametrize("name", game.variants())
def test_a_deal_of_every_variant_goes_on_at_its_largest_table(admin, name) -> None:
    rules = game.load(name)
    record = play_record(rules, min(rules.seats[1], 10))
    start, d = cut_at_stage(record, count_stages(record) * 3 // 4)
    check_goes_on(admin, start, d)


def test_a_variant_of_ones_own_goes_on_with_its_text(admin) -> None:
    rules = game.load_text("wasp", OWN)
    record = play_record(rules, 2)
    start, d = cut_at_stage(record, 6, rules)
    told = game_pb2.RuleSet(name="wasp", variant_toml=OWN)
    whole = check_goes_on(admin, start, d, rules=told)
    assert game.replay(whole, own=rules).over
    with pytest.raises(BadRecord, match="a custom variant needs its file"):
        go_on(admin, start)


def test_the_seat_asked_there_is_asked_here(admin, engine) -> None:
    record = play_record(game.load("prsi"), 2)
    start, d = cut_at_stage(record, 5)
    _, tokens = go_on(admin, start)
    seats = [Seat(engine, token) for token in tokens]
    (own,) = d.to_act
    asked = seats[own].question()
    view = d.view(own)
    assert (asked["hand"], asked["legal"], asked["events"]) == (
        json.loads(json.dumps(view.hand)),
        view.legal,
        d.seen(own),
    )
    for seat in seats:
        seat.leave()


def test_another_replica_goes_on_with_it(arena, admin) -> None:
    start, _ = cut_at_stage(play_record(game.load("mau_mau"), 3), 4)
    table, tokens = go_on(admin, start)
    with arena.replica() as address:
        other = arena.engine(ADMIN, address)
        assert other.GetTable(table_id=table.id).table.begun_lines == start.count("\n")
        players = [Player([other], token) for token in tokens]
        assert all(player.ended() for player in players)
    assert admin.GetTable(table_id=table.id).table.record.startswith(start)


def test_it_is_seen_by_who_made_it_and_listed_to_nobody(arena) -> None:
    mine, other = arena.engine(arena.author()), arena.engine(arena.author())
    start, _ = cut_at_stage(play_record(game.load("prsi"), 2), 3)
    table, _ = go_on(mine, start)
    assert mine.GetTable(table_id=table.id).table.unlisted
    with pytest.raises(UnknownTable):
        other.GetTable(table_id=table.id)
    for engine in (mine, other):
        assert table.id not in {one.id for one in engine.ListTables().tables}


def test_a_replay_that_is_refused_says_why(admin) -> None:
    record = play_record(game.load("prsi"), 2)
    lines = record.splitlines(keepends=True)
    start, _ = cut_at_stage(record, 5)
    first_action = next(number for number, line in enumerate(lines) if line.startswith("A "))
    wrong = "".join([*lines[:first_action], "A nothing\n"])
    for error, words, fields in (
        (BadRecord, f"line {first_action + 1}: ", {"record": wrong}),
        (BadRecord, "line 1: ", {"record": "x\n"}),
        (BadRecord, "breaks off", {"record": start.rstrip("\n")}),
        (BadRequest, "Nothing is left to play", {"record": record}),
        (BadRequest, "characters", {"record": "x" * 70_000}),
        (BadRequest, "2 seats, not 3", {"record": start, "seats": 3}),
        (BadRequest, "of prsi, hash", {"record": start, "rules": game_pb2.RuleSet(name="mau_mau")}),
    ):
        with pytest.raises(error, match=words):
            admin.CreateTable(**fields)


def test_a_fresh_table_is_none_that_goes_on(admin) -> None:
    table, _ = make_table(admin)
    assert table.begun_lines == 0
    assert table.commitment


def test_a_record_is_cut_where_somebody_is_asked() -> None:
    record = play_record(game.load("prsi"), 2)
    for stage, (d, line) in enumerate(replay_stages(record)):
        if d.over:
            break
        start, found = cut_at_stage(record, stage)
        assert start.count("\n") == line
        assert found.to_act == d.to_act
        events = game.event_lines(d)[-1]
        assert cut_before_event(record, max(events + 1, 1))[0] == start
    last = game.event_lines(game.replay(record))[-1]
    for cut, at, words in (
        (cut_at_stage, 10_000, "no step 10000"),
        (cut_before_event, last + 1, f"no event {last + 1}; the last one is {last}"),
        (cut_at_stage, count_stages(record) - 1, "nothing is left to play"),
    ):
        with pytest.raises(BadRecord, match=words):
            cut(record, at)
