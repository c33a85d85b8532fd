"""The messages as a program sees them, and what its replies do."""

from __future__ import annotations

import json

import pytest

from maumau import errors
from maumau.game import bot_seed, load, record, replay
from maumau.protocol.fault import Misplay
from maumau.protocol.limit import RunLimits
from maumau.protocol.message import read_ready, read_reply
from maumau.protocol.reply import explain_unreadable
from maumau.referee.block import BlockOrder, play_block
from maumau.referee.pace import REFERENCE, Pace
from maumau.referee.process import get_start_wall


def messages(outcome, entrant):
    """Return the messages to the program `echo` in its last seating."""
    return [json.loads(line) for line in outcome.measured.uses[entrant].log.splitlines()]


def test_a_question_has_every_field_and_the_seed_only_in_a_deals_first(play):
    asked = messages(play("echo", "good", sets=2, pace=Pace(probe=lambda: REFERENCE)), 0)
    assert {message["deal"] for message in asked} == {0, 1}
    for deal in (0, 1):
        of_it = [message for message in asked if message["deal"] == deal]
        assert [message.get("rng") for message in of_it] == [bot_seed(f"{deal:064x}", 1)] + [None] * (
            len(of_it) - 1
        )
    needed = "deal ask seat hand top wish owed skips direction counts stock out legal call events bank_ms"
    for message in asked:
        assert set(needed.split()) <= set(message)
        assert 0 < message["bank_ms"] <= 200
    banks = [message["bank_ms"] for message in asked]
    assert banks == sorted(banks, reverse=True)


def test_no_message_has_the_deals_seed(play):
    outcome = play("echo", "good", sets=2)
    assert not any(f"{deal:064x}" in outcome.measured.uses[0].log for deal in (0, 1))


def test_the_events_of_all_messages_are_what_the_seat_saw(play):
    outcome = play("echo", "good", sets=1)
    told = [event for message in messages(outcome, 0) for event in message["events"]]
    deal = replay(outcome.sets[0].deals[1].record)  # in the last seating entrant 0 sits in seat 1
    assert told == deal.seen(1)[: len(told)]
    assert told


def test_two_runs_with_the_same_seeds_give_the_same_records(play):
    first, second = (play("good", "echo", sets=3) for _ in range(2))
    assert first.sets == second.sets


def test_a_note_is_kept_and_an_unlisted_late_call_loses_the_deal(play, faults):
    outcome = play("long", "good", sets=1)
    booked = faults(outcome)
    assert [fault.kind for fault in booked] == ["illegal"] * 2
    assert "late calls" in booked[0].words
    deal = outcome.sets[0].deals[0]
    assert [note.text for note in deal.notes] == ["note 1", "note 2", "note 3"]
    assert {note.seat for note in deal.notes} == {0}


def test_a_note_stands_after_the_event_that_it_was_said_with(play):
    """Each has 500 characters, those of one seat 4,000 in a deal; the other seat has room of its own."""
    outcome = play("talks", "talks", sets=2)
    for deal in (deal for each in outcome.sets for deal in each.deals):
        events = [line for line in deal.record.splitlines() if line.startswith(("A ", "B ", "shuffle"))]
        for note in deal.notes:
            action, _, tail = note.text.partition(" ")
            told = events[max(0, note.event - 3) : note.event]
            assert any(line.startswith(f"{'AB'[note.seat]} {action}") for line in told)
            assert len(note.text) <= 500
            assert tail == "x" * len(tail)
        for seat in (0, 1):
            assert 0 < sum(len(note.text) for note in deal.notes if note.seat == seat) <= 4000


@pytest.mark.parametrize("at_once", [1, 8])
def test_who_looks_on_sees_a_deal_before_its_decisions_and_once_at_its_end(play, submit, at_once):
    manifest = f'run = ["python3", "bot.py"]\nconcurrent = {at_once}\n'
    looks, ends = [], []

    def look(seating, number, deal):
        looks.append((seating, number))
        if deal.over:
            ends.append((seating, number, record(deal)))

    outcome = play(submit("good", manifest), submit("illegal", manifest), sets=6, on_look=look)
    played = [(s, one.number, deal.record) for one in outcome.sets for s, deal in enumerate(one.deals)]
    assert sorted(ends[-12:]) == sorted(played)
    assert len(looks) > 60


@pytest.mark.long
@pytest.mark.sample
@pytest.mark.parametrize("violations", ["calls", "full"])
def test_quarrels_at_the_table_are_no_faults(bwrap, submit, faults, violations):
    programs = [submit("quarrels"), submit("quarrels"), submit("good")]
    chosen = {"tschuldi": True, "violations": violations}
    order = BlockOrder("schweizer", 3, ["a", "b", "c"], options=chosen, deal_ms=10_000)
    outcome = play_block(order, programs, bwrap)
    assert faults(outcome) == []
    told = "".join(deal.record for one in outcome.sets for deal in one.deals)
    assert " accuse@" in told
    assert " appeal" in told
    assert " guilty" in told


def test_lines_answer_questions_in_their_order(play, faults):
    booked = faults(play("talks_ahead", "good", sets=1))
    assert booked[0].kind == "illegal"
    assert "< XX!!" in booked[0].lines
    assert booked[0].words.endswith("(this line was written before it was asked)")


def test_a_program_that_answers_twice_is_told_so(play, faults):
    booked = [fault for fault in faults(play("twice", "good", sets=1)) if fault.kind == "illegal"]
    assert any(
        "written before it was asked" in fault.words or "more lines" in fault.words for fault in booked
    )


def test_what_is_printed_for_debugging_is_told_where_it_belongs(play, faults):
    booked = faults(play("thinks_aloud", "good", sets=1))
    assert booked[0].kind == "unreadable"
    assert booked[0].words.endswith("is not an action; stdout is for answers only: write logs to stderr")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (b"hello world", "; stdout is for answers only: write logs to stderr"),
        (b'{"hi": 1}', ""),
        (b'{"ready":', ""),
    ],
)
def test_what_is_printed_before_hello_is_answered_is_told_where_it_belongs(line, hint):
    with pytest.raises(Misplay) as told:
        read_ready(line)
    assert told.value.words == f'its answer to hello, {line.decode()!r}, is not {{"ready":"name"}}{hint}'


def test_an_action_in_json_that_is_not_notation_is_told_what_would_be(play, faults):
    booked = faults(play("signs", "good", sets=1))
    assert booked[0].kind == "unreadable"
    assert booked[0].words == "'Q♠>♣' is not an action; in notation it is QS>C"


def test_one_line_for_each_question_is_never_called_more(play, faults):
    booked = faults(play("illegal", "good", sets=1))
    assert booked[0].kind == "illegal"
    assert not [fault for fault in booked if "lines" in fault.words or "written before" in fault.words]


@pytest.mark.parametrize(
    ("reply", "hint"),
    [
        ("Q♠>♣", "in notation it is QS>C"), ("10h", "in notation it is TH"),
        ("qs>c!", "in notation it is QS>C!"),
        ("DRAW", "in notation it is draw"), ("★", "in notation it is XX"),
        ("7X", "an action is one of those in `legal`, such as 7S, QH>D or draw"),
        ("", "every line is an answer, an empty one too"),
        ("undefined", "stdout is for answers only: write logs to stderr"),
        ("I play 7S", "stdout is for answers only: write logs to stderr"),
    ],
)  # fmt: skip
def test_what_is_not_notation_is_told_what_would_be(reply, hint):
    assert explain_unreadable(reply) == hint


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b'{"act":"draw","why":"x"}', "there is no field `why`; its fields are act, also, note"),
        (b'{"act":"dr', 'input data was truncated; right would be {"act":"draw"}'),
        (b"{}", 'object missing required field `act`; right would be {"act":"draw"}'),
        (
            b'{"act":"draw"} x',
            'JSON is malformed: trailing characters (byte 16); right would be {"act":"draw"}',
        ),
    ],
)
def test_a_long_reply_that_cannot_be_read_is_quoted(reply, words):
    with pytest.raises(Misplay) as caught:
        read_reply(reply)
    assert caught.value.words == f"its reply {reply.decode()!r} cannot be read: {words}"


@pytest.mark.parametrize(("pace", "seconds"), [(0.5, 15), (1, 15), (2.4, 15), (5, 30)])
def test_a_start_is_waited_for_equally_long_on_all_but_the_slowest_cores(pace, seconds):
    """Three times the 2 s of CPU time, at a pace of 5."""
    assert get_start_wall(RunLimits(), pace) == seconds


def test_deals_are_told_as_they_end_and_a_stop_ends_the_block(bwrap, submit):
    programs, told = [submit("good"), submit("good")], []
    order = BlockOrder("mau_mau", 2, ["a", "b", "c"], first_set=5)
    play_block(order, programs, bwrap, on_deal=lambda *which: told.append(which[:2]))
    assert told == [(6, 0), (5, 0), (7, 0), (6, 1), (7, 1), (5, 1)]  # drawn by the seeds
    told.clear()
    with pytest.raises(errors.BlockStopped):
        play_block(order, programs, bwrap, lambda *which: told.append(which), lambda: len(told) == 2)
    assert len(told) == 2


def test_a_stop_is_heard_while_a_program_is_silent(bwrap, submit):
    programs, asked = [submit("silent"), submit("good")], []
    with pytest.raises(errors.BlockStopped):
        play_block(
            BlockOrder("mau_mau", 2, ["a"], deal_ms=60_000),
            programs,
            bwrap,
            None,
            lambda: len(asked) > 3 or asked.append(1),
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rules_hash": "00"}, "not those of this library"),
        ({"seats": 3}, "mau_mau is played by 2 to 10; 2 programs are named for 3 seats"),
        ({"seeds": []}, "at least one deal set"),
        ({"deal_ms": 0}, "time and memory"),
    ],
)
def test_a_block_that_cannot_be_played_is_refused_in_words(bwrap, submit, change, words):
    order = {"rules": "mau_mau", "seats": 2, "seeds": ["a"]} | change
    with pytest.raises(errors.BadOrder, match=words):
        play_block(BlockOrder(**order), [submit("good"), submit("good")], bwrap)


def test_the_hash_of_the_right_rules_is_accepted(play):
    play("good", "good", sets=1, rules_hash=load("mau_mau").hash)


def test_in_a_window_all_decide_at_once_and_an_accusation_counts_once(play, faults):
    outcome = play("forgetful", "accuser", "accuser", sets=2, options={"detection": "accuse"})
    assert faults(outcome) == []
    first = [each.deals[0] for each in outcome.sets]  # the forgetful one sits in seat A
    lines = [line for deal in first for line in deal.record.splitlines()]
    assert "B accuse@A:mau" in lines
    for place, line in enumerate(lines):
        if (
            line == "B accuse@A:mau"
        ):  # then somebody takes cards; C said the same at the same time, and is not heard
            assert lines[place + 2] != "C accuse@A:mau"
    assert all(replay(deal.record).places == deal.places for deal in first)
