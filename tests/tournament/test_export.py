"""The export follows from the secret and the programs alone: not from who played what, when or how often."""

import random

import pytest

from tests.tournament.arena import CUP, FINAL, SEMI, play_until

DATABASES = ["sqlite"]  # nothing here depends on the kind


def compared(export):
    """The bytes that two runs with one secret share, but for the spec's line with the tournament's name."""
    _, *lines = export.splitlines(keepends=True)
    end = next(i for i, line in enumerate(lines) if b"measured" in line[:20])
    assert b"record" in b"".join(line[:20] for line in lines[:end])
    return b"".join(lines[:end])


def test_results_in_any_order_give_the_same_export(arena):
    exports = []
    for seed in range(2):
        name = arena.begin("first", "random", "crash", "first", **CUP)
        shuffle = random.Random(seed)
        arena.finish(name, lambda blocks, s=shuffle: s.sample(blocks, len(blocks)))
        exports.append(arena.export(name))
    assert compared(exports[0]) == compared(exports[1])


@pytest.mark.parametrize("ahead", [1, 7])
def test_how_far_is_played_ahead_changes_no_result(start, arena, ahead):
    with start(look_ahead=ahead) as other:
        exports = []
        for one in (arena, other):
            name = one.begin("first", "random", "crash", **CUP)
            one.finish(name)
            exports.append(compared(one.export(name)))
    assert exports[0] == exports[1]


def test_a_retake_changes_no_export(arena):
    names = [arena.begin("first", "random", "crash", "first", **CUP) for _ in range(2)]
    play_until(arena, names[1], FINAL)
    arena.admin.retake(names[1], SEMI)
    for name in names:
        arena.finish(name)
    assert compared(arena.export(names[0])) == compared(arena.export(names[1]))
