"""Every way to lose a deal: the right fault is booked, the others' results count, nothing is left running."""

from __future__ import annotations

import pytest

from maumau.game import order_deals, replay
from tests.bot.conftest import SEEDS
from tests.support.kinds import one_of

QUICK = {"sets": 1, "deal_ms": 100, "memory_mib": 128}


def lost(outcome, entrant):
    """Return the (set, seating) that an entrant lost by a fault."""
    return [
        (each.number, seating)
        for each in outcome.sets
        for seating, deal in enumerate(each.deals)
        if entrant in {fault.entrant for fault in deal.faults}
    ]


def test_two_good_programs_play_a_block_without_a_fault(play, faults):
    outcome = play("good", "good", sets=3, first_set=7)
    assert faults(outcome) == []
    assert [each.number for each in outcome.sets] == [7, 8, 9]
    assert [[deal.seats for deal in each.deals] for each in outcome.sets] == [[[0, 1], [1, 0]]] * 3


def test_a_table_of_three_plays_its_three_rotations(play):
    outcome = play("good", "good", "good", sets=1)
    assert [deal.seats for deal in outcome.sets[0].deals] == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("name", "kind", "words"),
    one_of(
        2,
        [
            ("illegal", "illegal", ""),
            ("garbage", "unreadable", ""),
            ("trickle", "wall", "did not answer"),
            ("silent", "wall", "did not answer"),
            ("flood_out", "illegal", ""),
            ("endless", "output", "longer than 65,536 bytes"),
            ("crash", "crash", "exit code 1"),
            ("quits", "crash", "exit code 0"),
            ("hangs_up", "wall", "did not answer"),  # bubblewrap holds the pipe too: silence is all one hears
            ("spends", "time", "bank"),
            ("memory", "memory", "128 MiB"),
            ("early", "start", "exit code 3"),
            ("slow_start", "start", "CPU time for starting"),
            ("no_json", "start", 'is not {"ready":"name"}'),
        ],
    ),
)
def test_a_fault_is_booked_to_its_program_and_loses_its_deal(play, faults, name, kind, words):
    outcome = play(name, "good", **QUICK | ({"deal_ms": 1000} if kind == "memory" else {}))
    booked = faults(outcome)
    assert {fault.entrant for fault in booked} == {0}
    assert booked[0].kind == kind
    assert words in booked[0].words
    assert not any(fault.killed for fault in booked)
    for each in outcome.sets:
        for deal in each.deals:
            if deal.faults:
                assert deal.places == [2 if entrant == 0 else 1 for entrant in deal.seats]


def test_what_children_burn_comes_out_of_the_bank(play, faults):
    (fault, *_) = faults(play("spends_in_children", "good", **QUICK))
    assert fault.kind == "time"


def test_one_illegal_reply_loses_one_deal_and_the_process_plays_on(play, faults):
    outcome = play("illegal", "good", sets=3)
    assert len(faults(outcome)) == 2  # its third question, once in each seating
    assert outcome.measured.uses[0].starts == 2


def test_a_death_loses_the_deal_it_waits_in_and_a_new_process_plays_the_next(play, faults):
    outcome = play("crash", "good", sets=3)
    kinds = [fault.kind for fault in faults(outcome)]
    assert set(kinds) == {"crash"}
    last = [outcome.sets[order_deals(SEEDS[:3], seating)[-1]].deals[seating] for seating in (0, 1)]
    assert outcome.measured.uses[0].starts == len(kinds) + sum(not deal.faults for deal in last)


def test_the_fifth_fault_of_a_seating_loses_every_deal_of_it_that_is_left(play, faults):
    outcome = play("early", "good", sets=8)
    order = [order_deals(SEEDS[:8], seating) for seating in (0, 1)]
    booked = {
        (fault.seating, order[fault.seating].index(fault.deal)): fault.kind for fault in faults(outcome)
    }
    assert booked == {(s, at): "start" if at < 5 else "forfeit" for s in (0, 1) for at in range(8)}
    last = outcome.sets[order[1][-1]].deals[1]
    assert f"forfeit {'AB'[last.seats.index(0)]} forfeit" in last.record.splitlines()
    assert last.places[last.seats.index(0)] == 2


def test_a_crash_at_a_table_of_three_leaves_the_others_their_places(play, faults):
    outcome = play("crash", "good", "good", sets=1, options={"places": True})
    crashed = [deal for deal in outcome.sets[0].deals if deal.faults]
    assert crashed
    for deal in crashed:
        places = dict(zip(deal.seats, deal.places, strict=True))
        assert places[0] == 3
        assert sorted((places[1], places[2])) == [1, 2]


def test_a_record_with_a_fault_replays_to_the_same_result(play):
    for each in play("crash", "good", sets=2).sets:
        for deal in each.deals:
            again = replay(deal.record)
            assert (again.over, again.places, again.points) == (True, deal.places, deal.points)


def test_a_spent_bank_stays_spent_in_the_next_process(play, faults):
    outcome = play("spends", "good", sets=3, deal_ms=60)
    kinds = [fault.kind for fault in faults(outcome)]
    assert kinds[:3] == ["time"] * 3
    assert outcome.measured.uses[0].starts <= 2


def test_a_fault_explains_itself(play, faults):
    fault = faults(play("crash", "good", sets=1))[0]
    assert fault.ask == fault.lines[-1].removeprefix("> ")
    assert fault.ask.startswith('{"deal":0,"ask":')
    assert "about to fail" in fault.stderr
    assert "ValueError: no idea what to play" in fault.stderr
    assert fault.exit == "exit code 1"
    assert min(fault.cpu_ms, fault.wall_ms, fault.memory_mib) > 0
    assert sum(line.startswith("< ") for line in fault.lines) == 5  # hello and four answers


def test_a_hundred_megabytes_of_log_neither_block_a_program_nor_fill_the_referee(play, faults):
    outcome = play("flood_err", "good", sets=1, deal_ms=2000)
    assert faults(outcome) == []
    log = outcome.measured.uses[0].log
    assert log.endswith("that was all\n")
    assert len(log) <= 65_536


def test_burning_cpu_while_the_other_thinks_is_paid_by_who_burns_it(play, faults):
    alone = play("good", "good", sets=5, cpu=0).measured.uses[1].cpu_ms
    outcome = play("spins", "good", sets=5, cpu=0, deal_ms=1000)
    assert outcome.measured.uses[1].cpu_ms < 3 * alone + 20
    assert outcome.measured.uses[0].cpu_ms > outcome.measured.uses[1].cpu_ms


def test_whatever_runs_when_a_seating_ends_is_gone_with_it(play, faults):
    assert faults(play("daemon", "good")) == []  # and play() has looked for what is left


def test_a_fork_bomb_stops_at_its_limit_and_hurts_nobody_else(play, faults):
    assert {fault.kind for fault in faults(play("forks", "good", deal_ms=200))} <= {"time", "forfeit"}
