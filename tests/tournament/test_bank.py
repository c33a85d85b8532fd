"""The bots' use of their banks is part of a match, from the measurements of its blocks."""

import pytest

from maumau.client.answer import BankShare
from maumau.v1 import tournament_pb2 as pb
from services.tournament.history import archive
from tests.support.arenas.play import play_order, report_parts

DATABASES = ["sqlite"]  # one question that both answer alike


def play(arena, name, uses, pace=1.25):
    """Play the match; uses: by the block's number, the use of the first and the second in each deal."""
    while isinstance(blocks := arena.queued(name), list):
        for block in blocks:
            order = arena.worker.claim(block.id)
            header, *sets = report_parts(order, play_order(order))
            header.header.measured.MergeFrom(measured(uses.get(block.number), pace))
            arena.worker.stream("SubmitBlock", iter([header, *sets]))


def measured(uses, pace):
    """Return measurements as workers report them; without uses, as before they were introduced."""
    if uses is None:
        return pb.Measured()
    told = [pb.Use(bank_ms=sum(deals), deals_ms=deals) for deals in uses]
    return pb.Measured(deal_ms=50, pace=pb.Pace(mean=pace, least=1, most=2), uses=told)


def banks(arena, name):
    return arena.admin.match(name, "1.1.1").banks


@pytest.fixture
def cup(arena):
    """Return a match of three blocks: a bot against its like, so that nothing ends it early."""
    return arena.begin("first", "first", block=2, cap=6)


@pytest.mark.long
def test_a_match_tells_of_both_bots_over_all_its_blocks(arena, cup):
    """The first: (10 + 20 + 30 + 40) / 4 = 25 of 50 ms. The second: 1 ms each time."""
    play(arena, cup, {0: ([10, 20], [1, 1]), 1: ([30, 40], [1, 1])})
    match = arena.admin.match(cup, "1.1.1").match
    assert [done.state for done in arena.admin.match(cup, "1.1.1").blocks] == ["done"] * 3
    assert banks(arena, cup) == (
        BankShare(entrant=match.first, rules="mau_mau", seats=2, deal_ms=50, mean_ms=25.0, p99_ms=40.0,
                  largest_ms=40.0, pace=1.25),
        BankShare(entrant=match.second, rules="mau_mau", seats=2, deal_ms=50, mean_ms=1.0, p99_ms=1.0,
                  largest_ms=1.0, pace=1.25),
    )  # fmt: skip


def test_nothing_is_said_where_nothing_was_measured(arena, cup):
    arena.queued(cup)
    assert banks(arena, cup) == ()
    play(arena, cup, {})
    assert banks(arena, cup) == ()


def test_of_a_long_match_blocks_are_looked_at_that_are_spread_over_it(arena, cup, monkeypatch):
    """Two of three: the first and the third, (10 + 40) / 2 = 25 ms."""
    monkeypatch.setattr(archive, "BANK_BLOCKS", 2)
    play(arena, cup, {0: ([10], [1]), 1: ([30], [1]), 2: ([40], [1])})
    first, _ = banks(arena, cup)
    assert (first.mean_ms, first.largest_ms) == (25.0, 40.0)
