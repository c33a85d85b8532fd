"""The test of a match after each of its blocks, as far as they count."""

from __future__ import annotations

from maumau.contest.score import BlockSums
from maumau.contest.spec.spec import parse_spec
from services.tournament.history import walk
from services.tournament.history.walk import follow_blocks
from tests.support.fake import a_spec

SPEC = parse_spec(a_spec(match="block = 2\ncap = 2000"))
WON = BlockSums(2, 8, 32, 0, 0, 0, 0)  # two sets won completely, of unit 4


def test_blocks_after_the_decision_do_not_count() -> None:
    """n sets won come to n(n + 1)/10."""
    assert follow_blocks(SPEC, [WON] * 3, 4) == [(2, 0.6), (4, 2.0)]
    assert follow_blocks(SPEC, [WON] * 3, 0) == []
    assert follow_blocks(SPEC, [], 4) == []


def test_a_long_match_keeps_its_last_block_and_at_most_so_many_points(monkeypatch) -> None:
    monkeypatch.setattr(walk, "MOST_POINTS", 3)
    assert [one.sets for one in follow_blocks(SPEC, [WON] * 7, 14)] == [2, 8, 14]
    assert [one.sets for one in follow_blocks(SPEC, [WON] * 8, 16)] == [4, 10, 16]
    assert [one.sets for one in follow_blocks(SPEC, [WON] * 3, 6)] == [2, 4, 6]
