"""Charging is fair: an innocent program is charged the same beside an attacker as beside a harmless one.

Seconds are compared, so the host has to be quiet: `make bench-charge`, in no run of tests.
"""

from __future__ import annotations

import shutil

import msgspec
import pytest

from maumau.errors import SandboxUnavailable
from maumau.sandbox.launch import choose_sandbox
from tests.attack.suite import Suite
from tests.attack.table import PROGRAMS, attacks
from tests.attack.world import World, opened_room

MAX_RATIO = 1.10  # times the charge of the innocent one beside a harmless one
TRIES = range(1, 41)  # noise only adds, so the least of several is compared; a busy host needs more of them
FEWEST = 2  # measurements of each, taken in turn: of more of them the least is smaller
BEHIND = [attack for attack in attacks() if "bwrap" in attack.tiers and not attack.both]


@pytest.fixture(scope="module")
def suite():
    try:
        sandbox = choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        pytest.skip(f"NOT TESTED here: attacks in bwrap: {reason}")
    with opened_room() as room, World(room) as world:
        yield Suite(sandbox, world)


@pytest.mark.parametrize("attack", BEHIND, ids=lambda attack: attack.name)
def test_nobody_pays_for_an_attack(suite, attack, not_tested):
    if attack.compiled and shutil.which("gcc") is None:
        not_tested("attacks in C", "there is no gcc")
    harmless = msgspec.structs.replace(suite.harmless, sets=attack.sets)
    beside_attack = beside_harmless = float("inf")
    for tries in TRIES:
        beside_attack = min(beside_attack, suite.charge(PROGRAMS / "meter.py", attack))
        beside_harmless = min(beside_harmless, suite.charge(PROGRAMS / "meter.py", harmless))
        if tries >= FEWEST and beside_attack <= MAX_RATIO * beside_harmless:
            break
    assert beside_attack <= MAX_RATIO * beside_harmless
