"""The criterion of `make soak`: a busy arena's resources are no larger at the end than in the middle."""

import pytest

from bench.endurance.soak_run import soak_arena
from bench.endurance.steady import CACHE_FILL_SECONDS, Sample, has_grown, judge_samples


def test_what_a_process_takes_while_it_warms_up_is_no_growth():
    memory = [50.0, 90.0, 100.0, 100.0, 101.0, 100.0, 100.0, 101.0, 100.0]
    samples = [Sample(at * CACHE_FILL_SECONDS / 8, {("memory", "web"): one}) for at, one in enumerate(memory)]
    judged = judge_samples(samples)
    assert [(one.early, one.late, one.flat) for one in judged] == [(100.5, 100.5, True)]


def test_what_goes_on_growing_is_named_and_rows_are_only_told():
    grows, kept, files = ("memory", "web"), ("rows", "core.match"), ("files", "web")
    samples = [
        Sample(at * CACHE_FILL_SECONDS / 8, {grows: 100.0 + 10 * at, kept: 7.0 * at, files: 20.0})
        for at in range(9)
    ]
    found = {(one.kind, one.name): (one.early, one.late, one.flat) for one in judge_samples(samples)}
    assert found == {grows: (135.0, 175.0, False), files: (20.0, 20.0, True), kept: (24.5, 52.5, True)}


@pytest.mark.parametrize(
    ("kind", "early", "late", "grown"),
    [
        ("memory", 100, 108, False),  # by less than 8 MiB
        ("memory", 100, 109, True),
        ("memory", 400, 419, False),  # by less than 5 %
        ("files", 20, 28, False),
        ("files", 20, 29, True),
        ("keys", 400, 450, False),
        ("keys", 400, 501, True),
    ],
)
def test_growth_is_more_than_a_little_and_more_than_a_share(kind, early, late, grown):
    assert has_grown(kind, early, late) is grown


def test_while_caches_fill_a_process_may_grow_more_and_nothing_else_may():
    assert not has_grown("memory", 160, 192, filling=True)
    assert has_grown("memory", 160, 193, filling=True)
    assert has_grown("files", 20, 29, filling=True)


@pytest.mark.long
def test_an_arena_at_work_for_eight_minutes_holds_no_more_than_it_may():
    """With one worker, since other tests need the cores, too."""
    assert soak_arena(8, workers=1) == []
