"""The load generator reports what the services take."""

from types import SimpleNamespace

import pytest

from bench.services.deals import Deals
from bench.services.scale import field_sizes
from bench.support.lab import report_block
from maumau import wire


def test_a_report_has_deals_that_differ_with_the_seeds_that_were_ordered():
    seeds = [f"{number:064x}" for number in range(6)]
    order = SimpleNamespace(block_id="b", fence=3, first_set=100, seeds=seeds, seatings=[])
    header, *parts = Deals(3).report(order)
    sets = wire.set_outcomes([one for part in parts for one in part.sets.sets])
    assert (header.header.sets, [one.number for one in sets]) == (6, list(range(100, 106)))
    records = [deal.record for one in sets for deal in one.deals]
    for number, seed in enumerate(seeds):
        assert all(f"[seed {seed}]" in record for record in records[2 * number : 2 * number + 2])
    for deal in (deal for one in sets for deal in one.deals):
        places, points = (" ".join(map(str, numbers)) for numbers in (deal.places, deal.points))
        assert deal.record.endswith(f"\nresult places {places} points {points}\n")
    assert len({record.partition("[seed")[2][70:] for record in records}) == 6


def test_a_seating_that_is_ordered_by_itself_is_reported_by_itself():
    order = SimpleNamespace(block_id="b", fence=1, first_set=0, seeds=["ab" * 32] * 2, seatings=[1])
    for header, *parts in (Deals(2).report(order), report_block(order)):
        sets = [one for part in parts for one in part.sets.sets]
        assert [[list(deal.entrants) for deal in one.deals] for one in sets] == [[[1, 0]], [[1, 0]]]
        assert header.header.sets == 2


@pytest.mark.parametrize(
    ("queued", "sizes"),
    [(1, [8]), (120, [16]), (10_000, [256]), (65_280, [256, 256]), (65_281, [256, 256, 8])],
)
def test_fields_have_as_many_matches_as_are_to_wait(queued, sizes):
    assert list(field_sizes(queued)) == sizes
