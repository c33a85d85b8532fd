"""Real programs attack what a program could want to attack, behind the wall: nobody is harmed.

In `make test-long` also after cold starts.
"""

from __future__ import annotations

import shutil

import pytest

from maumau.errors import SandboxUnavailable
from maumau.sandbox.kernel import cgroup
from maumau.sandbox.launch import choose_sandbox
from tests.attack.suite import Suite
from tests.attack.table import attacks, wrong
from tests.attack.world import World, opened_room

BEHIND = [
    pytest.param(attack, marks=[pytest.mark.long] * later, id=attack.name)
    for number, attack in enumerate(attack for attack in attacks() if "bwrap" in attack.tiers)
    for later in [attack.later or number % 2 > 0]
]


@pytest.fixture(scope="module", params=["warm", pytest.param("cold", marks=pytest.mark.long)])
def suite(request):
    try:
        sandbox = choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        pytest.skip(f"NOT TESTED here: attacks in bwrap: {reason}")
    sandbox.warmth.allowed = request.param == "warm"
    with opened_room() as room, World(room) as world:
        yield Suite(sandbox, world)


@pytest.mark.sample(10)
@pytest.mark.parametrize("attack", BEHIND)
def test_an_attack_behind_the_wall_harms_nobody(suite, attack, not_tested):
    if attack.compiled and shutil.which("gcc") is None:
        not_tested("attacks in C", "there is no gcc")
    found = suite.run(attack)
    assert wrong(attack, found, "bwrap", grouped=cgroup.find_group_folders() is not None) == []


def test_attacks_in_python_are_started_warm(suite):
    suite.run(next(attack for attack in attacks() if "bwrap" in attack.tiers and not attack.compiled))
    warmth = suite.sandbox.inner.warmth
    assert (warmth.starts["warm"] > warmth.starts["cold"]) == warmth.allowed
    assert warmth.starts["refused"] == 0


def test_there_are_attacks_enough_and_of_both_languages():
    assert len(attacks()) >= 100
    assert {attack.compiled for attack in attacks()} == {True, False}
