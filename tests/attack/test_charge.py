"""Nobody pays for another: an innocent program is booked what it uses beside a harmless one."""

from __future__ import annotations

import shutil

import msgspec
import pytest

from maumau.bot.sandbox import choose
from maumau.errors import SandboxUnavailable
from tests.attack.suite import Suite
from tests.attack.table import PROGRAMS, attacks
from tests.attack.world import World, opened_room

MAX_RATIO = 1.15  # times what the innocent one is booked beside a harmless one
TRIES = 40  # noise only adds, so the least of several is compared; a busy host needs more of them
BEHIND = [attack for attack in attacks() if "bwrap" in attack.tiers and not attack.both]

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def suite():
    try:
        sandbox = choose("bwrap")
    except SandboxUnavailable as reason:
        pytest.skip(f"NOT TESTED here: attacks in bwrap: {reason}")
    with opened_room() as room, World(room) as world:
        yield Suite(sandbox, world)


@pytest.fixture(scope="module")
def booked(suite):
    """The least that was booked to the meter beside each program, and one more measurement of it."""
    least: dict[tuple[str, int], float] = {}

    def measure(attack):
        again, key = suite.charge(PROGRAMS / "meter.py", attack), (attack.name, attack.sets)
        least[key] = min(again, least.get(key, again))
        return least[key]

    return measure


@pytest.mark.parametrize("attack", BEHIND, ids=lambda attack: attack.name)
def test_nobody_pays_for_an_attack(suite, booked, attack, not_tested):
    if attack.compiled and shutil.which("gcc") is None:
        not_tested("attacks in C", "there is no gcc")
    harmless = msgspec.structs.replace(suite.harmless, sets=attack.sets)
    ratio = float("inf")
    for _ in range(TRIES):
        ratio = booked(attack) / booked(harmless)
        if ratio <= MAX_RATIO:
            break
    assert ratio <= MAX_RATIO
