"""Second runs: the blocks that get one, and the number of first runs that may overrun unpunished."""

import pytest

from maumau.protocol.fault import Fault
from maumau.protocol.outcome import DealOutcome
from maumau.referee.block import SetOutcome
from maumau.referee.second_run import (
    counts_as_fault,
    describe_excess,
    describe_provisional,
    find_provisional_faults,
    settle_runs,
)

SLOW = Fault(0, 0, 3, "time", "its bank of CPU time is spent", overran=True)
SILENT = Fault(0, 1, 3, "wall", "no answer")
CRASHED = Fault(0, 1, 3, "crash", "it ended with exit code 1", exit="exit code 1")
KILLED = Fault(0, 0, 3, "crash", "it ended with signal 9 (SIGKILL)", exit="signal 9 (SIGKILL)", killed=True)


def test_only_a_spent_bank_or_a_kill_has_a_block_played_again_and_only_once():
    assert find_provisional_faults([SILENT, SLOW, CRASHED, KILLED], is_second=False) == [SLOW, KILLED]
    assert find_provisional_faults([SILENT, CRASHED], is_second=False) == []
    assert find_provisional_faults([SILENT, SLOW, KILLED], is_second=True) == []


def test_the_reason_of_a_second_run_says_which_of_both_it_was():
    assert describe_provisional([SLOW, SLOW]) == "ran out of time"
    assert describe_provisional([KILLED]) == "was killed"
    assert describe_provisional([KILLED, SLOW]) == "ran out of time or was killed"


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


def play(lines, *faults, seats=(0, 1)):
    """Return a deal with these lines between head and result, which names them so that deals differ."""
    record = "\n".join(["[maumau 1]", "[seed 5]", *lines, f"result {len(lines)}", ""])
    return DealOutcome(list(seats), [1, 2], [0, len(lines)], record, list(faults), [])


def settle(first, second):
    """Return the deal that counts of a set in one seating."""
    (found,) = settle_runs([SetOutcome(3, [first, LATE])], [SetOutcome(3, [second, LATE])])
    assert found.number == 3
    return found.deals[0]


OVERRUN = Fault(0, 0, 3, "time", "its bank of CPU time is spent", overran=True)
LATE = play(["A 7S"], OVERRUN)  # somewhere in the seating the first entrant, in seat A, ran out of time


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [
        (["A 7S", "B 8S"], ["A TD"], "first"),  # the overrun did not cost it, and a bad deal stays one
        (["A TD"], ["A 7S", "B 8S"], "first"),
        (["forfeit A time", "A 7S"], ["A TD"], "second"),  # not begun
        (["A 7S", "forfeit A time", "A 9S"], ["A 7S", "A TS"], "second"),  # repeated up to there
        (["B 8S", "A 7S", "forfeit A start"], ["B 8S", "A 7S", "A TS"], "second"),
        (["forfeit A forfeit"], ["A TD"], "second"),  # the faults that followed were too many
        (["A 7S", "forfeit A time"], ["A TD", "A TS"], "first"),  # drawn anew: it stays lost
        (["B 8S", "A 7S", "forfeit A time"], ["B KH", "A 7S"], "first"),  # a player who decided otherwise
        (["A 7S", "forfeit A time"], [], "first"),
        (["A 7S", "forfeit A time"], ["A 7S", "forfeit A time"], "second"),  # it is a fault now
        (["forfeit A illegal", "A 7S"], ["A TD"], "first"),  # a fault that no second run excuses
        (["forfeit A wall"], ["A TD"], "first"),
        (["forfeit B time"], ["A TD"], "first"),  # the other did not overrun
        (["forfeit B crash", "A 7S", "forfeit A time"], ["forfeit B crash", "A 7S"], "second"),
    ],
)
def test_a_second_run_takes_the_place_of_what_the_overrun_cost_and_of_nothing_else(first, second, counts):
    runs = {"first": play(first), "second": play(second)}
    assert settle(runs["first"], runs["second"]) is runs[counts]


def test_an_overrun_costs_deals_of_its_own_seating_alone():
    other = play(["forfeit B time"], seats=(1, 0))  # the first entrant, where it did not overrun
    runs = [[SetOutcome(3, [LATE, other])], [SetOutcome(3, [play(["A TD"]), play(["A TD"], seats=(1, 0))])]]
    assert settle_runs(*runs)[0].deals[1] is other


def test_a_block_of_one_seating_is_settled_by_the_seating_that_it_is_of():
    overran = Fault(0, 1, 3, "time", "its bank of CPU time is spent", overran=True)
    lost, again = play(["forfeit B time"], overran, seats=(1, 0)), play(["A TD"], seats=(1, 0))
    assert settle_runs([SetOutcome(3, [lost])], [SetOutcome(3, [again])])[0].deals == [again]


def test_each_deal_keeps_what_an_overrun_of_either_entrant_cost_it():
    """Both ran out of time in this seating: each deal that one of them lost by that is played again."""
    both = [OVERRUN, Fault(1, 0, 3, "time", "its bank of CPU time is spent", overran=True)]
    first = [
        play(["A 7S"], *both),
        play(["forfeit B time"]),
        play(["forfeit A time"]),
        play(["A TD", "B TS"]),
    ]
    second = [play(["A 7S", "A KS"]) for _ in first]
    found = settle_runs([SetOutcome(at, [one]) for at, one in enumerate(first)],
                        [SetOutcome(at, [one]) for at, one in enumerate(second)])  # fmt: skip
    assert [one.deals[0] is first[at] for at, one in enumerate(found)] == [True, False, False, True]


STRUCK = ["A 7S", "forfeit A crash", "A 9S"]  # the deal in which the first entrant, in seat A, was killed


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [
        (STRUCK, ["A 7S", "A TS"], "second"),  # repeated up to there
        (STRUCK, ["A TD", "A TS"], "first"),  # drawn anew: it stays lost
        (STRUCK, STRUCK, "second"),  # it is a fault now
        (["forfeit A start"], ["A 7S"], "first"),  # of another kind than its fault
        (["forfeit B crash", "A 7S", "forfeit A crash"], ["forfeit B crash", "A 7S"], "second"),
        (["A 7S", "B 8S"], ["A 7S", "B 8S"], "second"),  # the fault cost no deal, and is gone
        (["A 7S", "B 8S"], ["A 7S", "B 9S"], "first"),
    ],
)
def test_a_second_run_takes_the_place_of_the_deal_in_which_a_program_was_killed(first, second, counts):
    runs = {"first": play(first, KILLED), "second": play(second)}
    (found,) = settle_runs(*([SetOutcome(3, [deal])] for deal in runs.values()))
    assert found.deals[0] is runs[counts]


@pytest.mark.parametrize(
    ("first", "counts"),
    [
        (["forfeit A crash"], "first"),  # one of its own doing, in another deal of the seating
        (["forfeit A start"], "first"),
        (["forfeit A time"], "first"),
        (["forfeit A forfeit"], "second"),  # the faults that followed were too many
        (["forfeit B forfeit"], "first"),
    ],
)
def test_a_kill_excuses_no_other_fault_of_its_seating(first, counts):
    runs = {"first": play(first), "second": play(["A 7S"])}
    struck = play(STRUCK, KILLED)
    (found,) = settle_runs(
        [SetOutcome(3, [runs["first"], struck])], [SetOutcome(3, [runs["second"], struck])]
    )
    assert found.deals[0] is runs[counts]
