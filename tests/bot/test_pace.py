"""Reference time: CPU time by the pace of its core, as docs/explanation/time.md says."""

from __future__ import annotations

import time
from itertools import chain, repeat
from statistics import fmean

import pytest

from maumau.errors import PlatformFault
from maumau.referee.block import BlockOrder, play_block
from maumau.referee.pace import FIRST, RECENT, REFERENCE, WARM, Pace
from maumau.referee.probe import run_probe
from maumau.sandbox.sandboxed_process import SandboxedProcess


def probes(*paces):
    """Return a probe that finds 1.0 while warming up, then these paces, and the last one for ever."""
    found = chain(repeat(1.0, WARM), paces, repeat(paces[-1]))
    return lambda: next(found) * REFERENCE


def test_a_core_that_takes_twice_the_time_has_pace_two():
    pace = Pace(probe=probes(2.0))
    pace.begin_block()
    assert (pace.last, pace.now) == (pytest.approx(2), pytest.approx(2))
    assert pace.pace_span().mean == pytest.approx(2)


def test_what_counts_is_the_last_probe_and_what_programs_are_told_the_mean_of_the_recent():
    pace = Pace(probe=probes(1.0, 1.0, 1.0, 1.5))
    pace.begin_block()
    pace.probe_host()
    assert pace.last == pytest.approx(1.5)
    assert pace.now == pytest.approx(fmean([1, 1, 1, 1.5]))
    assert (pace.pace_span().least, pace.pace_span().most) == (pytest.approx(1), pytest.approx(1.5))


def test_one_disturbed_probe_counts_for_at_most_twice_the_others():
    pace = Pace(probe=probes(*[1.0] * FIRST, 40.0, 1.0))
    pace.begin_block()
    pace.probe_host()
    assert pace.last == pytest.approx(2)
    pace.probe_host()
    assert pace.last == pytest.approx(1)


@pytest.mark.parametrize(("found", "words"), [(5.5, "takes 5.50 times"), (0.15, "takes 0.15 times")])
def test_a_host_beyond_a_fifth_and_five_times_the_reference_is_unfit(found, words):
    with pytest.raises(PlatformFault, match=f"unfit: its core {words}"):
        Pace(probe=probes(found)).begin_block()


@pytest.mark.parametrize("found", [4.9, 0.21])
def test_a_host_within_a_fifth_and_five_times_the_reference_is_fit(found):
    Pace(probe=probes(found)).begin_block()


def test_a_host_whose_probes_go_on_disagreeing_is_unsteady():
    pace = Pace(probe=probes(1.0, 1.0, 1.0, *[4.0, 1.0] * 50))
    pace.begin_block()
    words = r"unsteady: .* \(4\.0 times, where 3 may be"
    for _ in range(2):
        pace.probe_host()
    with pytest.raises(PlatformFault, match=words):
        pace.probe_host()


def test_a_host_that_was_unsteady_for_a_moment_is_looked_at_again_at_once():
    pace = Pace(probe=probes(1.0, 1.0, 1.0, 4.0, 4.0, 1.1))
    pace.begin_block()
    for _ in range(RECENT):
        pace.probe_host()
    assert pace.now == pytest.approx(1.1)


def test_probes_cost_less_than_a_hundredth_of_the_time():
    pace = Pace()
    pace.begin_block()
    before = pace.probed
    pace.begin_seating()
    assert pace.probed == before
    began = time.perf_counter()
    pace.probe_host()
    assert pace.due - began > 100 * (pace.probed - before)


def test_the_probe_takes_cpu_time_that_can_be_measured():
    assert min(run_probe() for _ in range(20)) > 0.05 * REFERENCE


def test_use_is_counted_in_reference_time_and_shared_out_to_the_deals(bwrap, submit):
    order = BlockOrder("mau_mau", 2, ["a", "b", "c"])
    measured = play_block(
        order, [submit("good"), submit("good")], bwrap, pace=Pace(probe=probes(2.0))
    ).measured
    assert measured.deal_ms == 100
    assert measured.pace.mean == pytest.approx(2)
    for use in measured.uses:
        assert 0 < 2 * (use.bank_ms + use.start_ms) <= use.cpu_ms
        assert len(use.deals_ms) == 6
        assert all(each > 0 for each in use.deals_ms)
        assert sum(use.deals_ms) <= use.bank_ms * (1 + 1e-9)


def test_a_program_on_a_slow_core_is_told_more_milliseconds(bwrap, submit):
    def told(found):
        order = BlockOrder("mau_mau", 2, ["a"])
        outcome = play_block(order, [submit("echo"), submit("good")], bwrap, pace=Pace(probe=probes(found)))
        first = outcome.measured.uses[0].log.splitlines()[0]
        return int(first.partition('"bank_ms":')[2].partition("}")[0])

    assert 80 < told(1.0) <= 100
    assert 380 < told(4.0) <= 400


def test_what_is_used_between_two_probes_counts_at_the_mean_of_their_paces():
    from maumau.referee import process

    clock = [10.0]
    pipes = {"stdin": 0, "stdout": 1, "stderr": 2}
    sandboxed = type("Still", (SandboxedProcess,), {"__init__": lambda self: None, **pipes})()
    sandboxed.cpu = lambda: clock[0]
    pace = Pace(probe=probes(1.0, 1.0, 1.0, 2.0))
    pace.begin_block()
    running = process.Process(sandboxed, process.RunLimits(), pace)
    running.grant_bank(1.0, 10.0)
    clock[0] += 0.3
    assert running.read_bank() == pytest.approx(0.7)
    pace.probe_host()
    running.count_time()
    assert running.left == pytest.approx(1 - 0.3 / 1.5)
    assert running.bank == pytest.approx(running.left * pace.now)
    assert running.book_time() == pytest.approx(0.3 / 1.5)


def test_a_handicap_makes_the_clocks_of_programs_run_faster():
    sandboxed = type("Still", (SandboxedProcess,), {"__init__": lambda self: None})()
    sandboxed.cpu = lambda: 2.0
    assert Pace(handicap=3).cpu_clock(sandboxed)() == 6
    assert Pace().cpu_clock(sandboxed)() == 2
