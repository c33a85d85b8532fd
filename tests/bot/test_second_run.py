"""Which blocks are played a second time, and how many first runs may run out of time unpunished."""

import pytest

from maumau.bot.fault import Fault
from maumau.bot.second_run import counts_as_fault, describe_excess, find_overruns

SLOW = Fault(0, 0, 3, "time", "its bank of CPU time is spent", overran=True)
SILENT = Fault(0, 1, 3, "wall", "no answer")


def test_only_a_spent_bank_has_a_block_played_again_and_only_once():
    assert find_overruns([SILENT, SLOW], is_second=False) == [SLOW]
    assert find_overruns([SILENT], is_second=False) == []
    assert find_overruns([SILENT, SLOW], is_second=True) == []


@pytest.mark.parametrize(
    ("late", "blocks", "words"),
    [
        ([0, 1], 2, ""),
        ([4, 5, 6], 20, "blocks 4 to 6 in a row"),
        ([0, 2, 4], 5, ""),
        ([0, 2, 4, 6], 8, "4 of 8 blocks"),  # every second one
        ([0, 4, 8, 12], 15, "4 of 15 blocks"),
        ([0, 4, 8, 12], 16, ""),  # a quarter, and not more
        ([0, 4, 8, 12, 16], 20, ""),
        ([0, 4, 8, 12, 16, 18], 20, "6 of 20 blocks"),
    ],
)
def test_three_blocks_in_a_row_or_more_than_a_quarter_of_a_match_suspend(late, blocks, words):
    assert describe_excess(late, blocks) == words


def test_a_short_match_with_half_of_its_blocks_counts_as_one_with_a_fault():
    assert counts_as_fault([0], 1)
    assert counts_as_fault([0, 2], 4)
    assert not counts_as_fault([1], 3)
    assert not counts_as_fault([], 1)


def test_a_bot_that_one_block_in_fifty_catches_unluckily_is_hardly_ever_suspended():
    """The chance that of 20 blocks, 2 % late each by the host's doing, three in a row or six of all are."""
    chance = {(): 1.0}  # of the late blocks so far, as long as nothing is wrong
    suspended = 0.0
    for block in range(20):
        after = {}
        for late, weight in chance.items():
            for now, part in ((late, 0.98), ((*late, block), 0.02)):
                if describe_excess(now, 20):
                    suspended += weight * part
                elif weight * part > 1e-12:
                    after[now] = after.get(now, 0.0) + weight * part
        chance = after
    assert suspended < 0.0003
