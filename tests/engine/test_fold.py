"""Rules for anybody: variants in words, deals folded, records checked; and what is asked wrongly."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from bench.support.patience import patient
from maumau import game
from maumau.errors import (
    BadDeal,
    BadOption,
    BadRecord,
    BadRequest,
    IllegalAction,
    MessageTooLarge,
    UnknownVariant,
    UnreadableAction,
)
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import game_pb2
from services.engine import fold

ALL = game.variants()


def does(seat, action):
    return pb.SeatAction(seat=seat, action=action)


def start(name="mau_mau", seats=2, seed="x", first=0, **rules):
    return pb.DealStart(rules=game_pb2.RuleSet(name=name, **rules), seats=seats, seed=seed, first=first)


def played(name, seats, seed="x", most=3000):
    """Return a deal played by its first actions, and the actions."""
    d, actions = game.deal(game.load(name), seats, seed), []
    while not d.over and len(actions) < most:
        for seat in d.to_act:
            action = game.first_action(d, seat)
            actions.append(pb.SeatAction(seat=seat, action=str(action)))
            d.apply(seat, action)
    return d, actions


def test_every_variant_is_listed_with_its_hash(engine):
    listed = engine.ListVariants().variants
    assert [each.name for each in listed] == sorted(ALL)
    assert {each.name: each.hash for each in listed} == {name: game.load(name).hash for name in ALL}


def test_a_variant_is_told_in_words_with_its_options_and_cards(engine):
    told = engine.GetVariant(name="prsi", options_json='{"ace_stack":"none"}')
    rules = game.load("prsi", ace_stack="none")
    assert told.rules.hash == rules.hash
    assert list(told.cards) == rules.cards
    chosen = {each.name: each.value for each in told.options}
    assert chosen["ace_stack"] == "none"
    assert any(line.text for section in told.sections for line in section.lines)


@pytest.mark.parametrize("name", ALL)
def test_a_deal_folded_from_its_actions_is_that_of_the_library(engine, name):
    seats = game.load(name).seats[0]
    d, actions = played(name, seats)
    found = engine.Fold(deal=start(name, seats), actions=actions, mark="mine")
    assert (found.mark, found.over, found.record) == ("mine", d.over, game.record(d))
    assert (list(found.places), list(found.points)) == (d.places, d.points)


def test_a_seat_sees_its_own_view_and_nothing_else(engine):
    d, actions = played("mau_mau", 3, most=9)
    found = engine.Fold(deal=start(seats=3), actions=actions, eyes=pb.EYES_SEAT, seat=1)
    (view,) = found.views
    told = json.loads(view.line)
    assert view.seat == 1
    assert told["hand"] == d.view(1).hand
    assert told["legal"] == d.view(1).legal
    assert told["events"] == d.seen(1)
    assert found.record == ""
    assert "seed" not in view.line


@pytest.mark.parametrize("name", ALL)
def test_watchers_see_the_same_whatever_the_hands_are(name):
    """The hands, the stock and what is drawn differ, what lies open and what happened does not."""
    d = game.deal(game.load(name), game.load(name).seats[0], "x")
    if d.over or d.asks == "keep":
        return
    twin = d.copy()
    twin.hands = [*d.hands[1:], d.hands[0]] if len({hand.bit_count() for hand in d.hands}) == 1 else d.hands
    assert fold.open_line(d) == fold.open_line(twin)


def test_who_is_asked_in_a_window_is_told_to_nobody_but_himself():
    d = window_of(game.load("schweizer"))
    assert fold.list_asked(d, "watcher", 0) == []
    for seat in range(d.seats):
        assert fold.list_asked(d, "seat", seat) == ([seat] if seat in d.to_act else [])
    assert fold.list_asked(d, "open", 0) == list(d.to_act)


def window_of(rules):
    """Return a deal with an open window."""
    for number in range(200):
        d = game.deal(rules, 3, f"window-{number}")
        while not d.over:
            if d.window is not None and d.asks == "window":
                return d
            d.apply(d.to_act[0], game.first_action(d, d.to_act[0]))
    raise AssertionError("no window")


def test_a_record_goes_on_from_where_it_breaks_off(engine):
    d, _ = played("prsi", 2, most=5)
    text = game.record(d)
    seat = d.to_act[0]
    action = str(game.first_action(d, seat))
    d.apply(seat, action)
    found = engine.Fold(record=text, actions=[pb.SeatAction(seat=seat, action=action)])
    assert found.record == game.record(d)


def test_many_folds_are_answered_in_order_and_a_bad_one_ends_nothing(engine):
    _, actions = played("mau_mau", 2)
    good = pb.FoldRequest(deal=start(), actions=actions, mark="good")
    bad = pb.FoldRequest(deal=start(name="skat"), mark="bad")
    answers = list(engine.stream("FoldMany", iter([pb.FoldManyRequest(folds=[good, bad, good])] * 2)))
    assert len(answers) == 2
    for answer in answers:
        first, second, third = answer.folded
        assert first.deal.over
        assert first == third
        assert second.refusal.reason == "UNKNOWN_VARIANT"
        assert "mau_mau" in second.refusal.message


def test_a_message_of_many_folds_has_a_bound(engine):
    with pytest.raises(BadRequest, match="1,000 are the most"):
        list(engine.stream("FoldMany", iter([pb.FoldManyRequest(folds=[pb.FoldRequest()] * 1001)])))


def test_a_good_record_is_verified_to_its_end(engine):
    d, _ = played("pesten", 3)
    found = engine.Verify(record=game.record(d))
    assert (found.ok, found.line, found.over) == (True, 0, True)
    assert list(found.places) == d.places


def test_the_first_line_that_differs_is_named(engine):
    d, _ = played("prsi", 2)
    lines = game.record(d).split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("A draw "))
    lines[at] = "A draw XX"
    found = engine.Verify(record="\n".join(lines))
    assert (found.ok, found.line) == (False, at + 1)
    assert "A draw" in found.message


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[maumau 1]\n", "[maumau 1]\n[rules skat {} x]\n", "\0\n" * 50]
)
def test_what_is_no_record_is_said_with_its_line(engine, text):
    found = engine.Verify(record=text)
    assert not found.ok
    assert found.line >= 1
    assert found.message


@pytest.mark.parametrize(
    ("error", "words", "fields"),
    [
        (UnknownVariant, "mau_mau", {"deal": start(name="skat")}),
        (BadOption, "ace_stack", {"deal": start("prsi", options_json='{"ace_stack":"perhaps"}')}),
        (BadOption, "not a JSON object", {"deal": start(options_json="[1]")}),
        (BadOption, "not a JSON object", {"deal": start(options_json="{" * 4000)}),
        (BadOption, "4,096", {"deal": start(options_json=" " * 5000)}),
        (BadRequest, "hash", {"deal": start(hash="0" * 64)}),
        (BadRequest, "own variants", {"deal": start(variant_toml="x = 1")}),
        (BadDeal, "played by", {"deal": start(seats=0)}),
        (BadDeal, "played by", {"deal": start(seats=99)}),
        (BadDeal, "played by", {"deal": start(seats=2**32 - 1)}),
        (BadDeal, "cannot lead", {"deal": start(first=2)}),
        (BadDeal, "200 are the most", {"deal": start(seed="x" * 201)}),
        (BadDeal, "Nobody sits at 7", {"deal": start(), "eyes": pb.EYES_SEAT, "seat": 7}),
        (BadRequest, "nobody's eyes", {"deal": start(), "eyes": 9}),
        (BadRequest, "neither", {}),
        (BadRecord, "line 1", {"record": "nonsense\n"}),
        (BadRecord, "262,144 are the most", {"record": "x" * (300 << 10)}),
        (IllegalAction, "action 1, B draw", {"deal": start(), "actions": [does(1, "draw")]}),
        (IllegalAction, "action 1, 99", {"deal": start(), "actions": [does(99, "draw")]}),
        (UnreadableAction, "action 1, A hm", {"deal": start(), "actions": [does(0, "hm")]}),
        (BadRequest, "10,000", {"deal": start(), "actions": [does(0, "draw")] * 10_001}),
    ],
)  # fmt: skip
def test_what_cannot_be_folded_is_refused_in_words(engine, error, words, fields):
    with pytest.raises(error, match=words):
        engine.Fold(**fields)


def test_a_message_of_ten_megabytes_is_refused_in_words(engine):
    with pytest.raises(MessageTooLarge, match="larger than"):
        engine.Verify(record="x" * (10 << 20))


def test_nobody_waits_while_a_long_record_is_verified(engine, monkeypatch):
    began, folded, verify = threading.Event(), threading.Event(), fold.verify_record

    def slow(text):
        began.set()
        folded.wait(patient(20))
        return verify(text)

    monkeypatch.setattr(fold, "verify_record", slow)
    with ThreadPoolExecutor(1) as other:
        verifying = other.submit(engine.Verify, record="x\n")
        assert began.wait(patient(20))
        assert engine.Fold(deal=start()).seats == 2
        folded.set()
        assert verifying.result().line == 1


def test_a_fold_that_goes_on_for_ever_ends_with_the_deal(engine):
    """Each deal has a cap; what is done afterwards is refused with its number."""
    _, actions = played("mau_mau", 2)
    with pytest.raises(IllegalAction, match=f"action {len(actions) + 1}, A draw"):
        engine.Fold(deal=start(), actions=[*actions, *[does(0, "draw")] * 100])
