"""A worker is a separate program: its report is checked before it is booked, completely or not at all."""

import copy

import pytest

from maumau.errors import BadReport, StaleFence
from maumau.v1 import tournament_pb2 as pb
from tests.support.arenas.calls import refused
from tests.support.arenas.play import play_order, report_parts
from tests.support.waiting import until

DATABASES = ["sqlite"]  # reports are refused before the database is asked
SET, DEAL = 3, 1


def missing_set(sets):
    del sets[SET]


def sets_in_another_order(sets):
    sets[SET], sets[SET + 1] = sets[SET + 1], sets[SET]


def the_same_set_twice(sets):
    sets[SET] = copy.deepcopy(sets[SET - 1])


def one_seating_only(sets):
    del sets[SET].deals[1]


def entrants_who_changed_seats(sets):
    deal(sets).entrants[:] = [0, 1]


def places_that_nobody_can_have(sets):
    deal(sets).places[:] = [2, 2]


def places_from_zero(sets):
    deal(sets).places[:] = [0, 1]


def places_of_three(sets):
    deal(sets).places[:] = [1, 2, 3]


def points_beyond_all_bounds(sets):
    deal(sets).points[:] = [0, 2_000_000_000]


def a_fault_of_no_kind(sets):
    deal(sets).faults.add(entrant=0, seating=DEAL, kind="stupidity")


def a_fault_of_nobody(sets):
    deal(sets).faults.add(entrant=2, seating=DEAL, kind="crash")


def a_record_of_another_deal(sets):
    deal(sets).record = sets[SET + 1].deals[DEAL].record


def a_record_with_another_result(sets):
    deal(sets).places[:] = reversed(deal(sets).places)


def no_record(sets):
    deal(sets).record = ""


def an_endless_record(sets):
    deal(sets).record += "A 7H\n" * 100_000


def deal(sets):
    return sets[SET].deals[DEAL]


WRONG = [
    missing_set, sets_in_another_order, the_same_set_twice, one_seating_only, entrants_who_changed_seats,
    places_that_nobody_can_have, places_from_zero, places_of_three, points_beyond_all_bounds,
    a_fault_of_no_kind, a_fault_of_nobody, a_record_of_another_deal, a_record_with_another_result, no_record,
    an_endless_record,
]  # fmt: skip


@pytest.fixture(scope="module")
def order(arena):
    """Yield a claimed block that every test reports wrongly."""
    name = arena.begin("first", "random")
    block = until(lambda: arena.blocks(name, "queued"))[0]
    order = arena.worker.claim(block.id)
    yield order
    assert arena.worker.report(order).stored  # after all refusals it is still accepted
    arena.finish(name)


@pytest.mark.parametrize("spoil", WRONG, ids=lambda spoil: spoil.__name__)
def test_a_report_that_is_not_what_was_ordered_is_refused(arena, order, spoil):
    sets = play_order(order)
    spoil(sets)
    with refused(BadReport):
        arena.worker.report(order, sets)


@pytest.mark.parametrize("sets", [0, 9, 11, 1 << 31])
def test_a_header_with_another_number_of_sets_is_refused(arena, order, sets):
    with refused(BadReport):
        arena.worker.report(order, sets=sets, given=play_order(order))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -1.0])
def test_measurements_are_finite_and_not_negative(arena, order, number):
    for wrong in (
        {"probe_ms": number},
        {"pace": pb.Pace(mean=number)},
        {"uses": [pb.Use(deals_ms=[1.0, number])]},
    ):
        with refused(BadReport, "What was measured"):
            arena.worker.report(order, measured=pb.Measured(worker="test", **wrong))


def test_a_stream_without_its_header_is_refused(arena, order):
    _, *rest = report_parts(order, play_order(order))
    for messages in ([], rest, [pb.SubmitBlockRequest()]):
        with refused(BadReport):
            arena.worker.stream("SubmitBlock", messages)


def test_a_fence_from_the_future_is_stale(arena, order):
    with refused(StaleFence):
        arena.worker.report(order, fence=order.fence + 1)
