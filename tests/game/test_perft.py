"""Perft: the number of lines of play to a depth, per variant. A changed number is a changed rule.

The lines are counted on copies; as many must be found without a copy, each line dealt and played anew.
"""

from __future__ import annotations

import pytest

from maumau.game import Deal, deal, load, variants
from tests.support.kinds import one_of

DEPTH = 4
LESS = {"prsi_blind": 3}  # a hundred claims for one card
LINES: dict[str, list[int]] = {
    "app": [413, 93, 1252],
    "crocodile": [102, 11, 25],
    "czech_fool": [102, 11, 25],
    "faraon": [81, 391, 173],
    "haft_khabis": [19, 177, 370],
    "mau_mau": [231, 290, 120],
    "neuner": [177, 79, 29],
    "one_oh_one": [105, 11, 43],
    "pesten": [299, 192, 99],
    "pharaoh_ru": [102, 11, 25],
    "prsi": [131, 66, 62],
    "prsi_blind": [20655, 20681, 20681],
    "prsi_quick": [153, 200, 65],
    "puque": [4, 8, 56],
    "schweizer": [36, 226, 440],
    "schweizer_2016": [84, 214, 393],
    "shop_basic": [420, 105, 722],
    "shop_extended": [1807, 314, 130],
    "tschau_sepp": [43, 208, 186],
}


def lines(d: Deal, depth: int) -> int:
    """Return the number of continuations from here, actions with the calls they owe."""
    if d.over or not depth:
        return 1
    seat = d.to_act[0]
    total = 0
    for action in d.legal(seat):
        twin = d.copy()
        twin.apply(seat, action + d.due(seat, action))
        total += lines(twin, depth - 1)
    return total


def counted(name: str) -> list[int]:
    """Return the lines from three deals, among two, three and four."""
    depth = LESS.get(name, DEPTH)
    return [lines(deal(load(name), seats, f"perft {seats}"), depth) for seats in (2, 3, 4)]


@pytest.mark.parametrize("name", variants())
def test_the_lines_of_play_are_as_many_as_ever(name: str) -> None:
    assert counted(name) == LINES[name]


def lines_anew(name: str, seats: int, depth: int) -> int:
    """Return the number by a slow, simple method: every line from a fresh deal, with actions as texts."""
    rules, total = load(name), 0
    open_lines: list[tuple[tuple[int, str], ...]] = [()]
    while open_lines:
        line = open_lines.pop()
        d = deal(rules, seats, f"perft {seats}")
        for seat, text in line:
            d.apply(seat, text)
        if d.over or len(line) == depth:
            total += 1
            continue
        seat = d.to_act[0]
        open_lines += [(*line, (seat, str(action) + d.due(seat, action))) for action in d.legal(seat)]
    return total


@pytest.mark.parametrize("name", one_of(2, variants()))
def test_as_many_lines_are_found_without_a_copy(name: str) -> None:
    depth = 2 if name in LESS else 3
    for seats in (2, 3, 4):
        assert lines_anew(name, seats, depth) == lines(deal(load(name), seats, f"perft {seats}"), depth)
