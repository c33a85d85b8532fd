"""A build step attacks as programs do: the same wall, the same end."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from maumau.errors import SandboxUnavailable
from maumau.sandbox.launch import choose_sandbox
from maumau.submission.build import build_log, prepare_program
from tests.attack.suite import Suite
from tests.attack.table import PROGRAMS, attacks
from tests.attack.world import World, left_behind, opened_room

pytestmark = pytest.mark.long  # in `make test`: tests/bot/test_build.py, and attacks behind the same wall
GCC = shutil.which("gcc")
TRIED = [attack for attack in attacks() if attack.build and (GCC or not attack.compiled)]


@pytest.fixture(scope="module")
def built():
    """Return the suite's world, and the log of one build step that has made every attack."""
    try:
        sandbox = choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        pytest.skip(f"NOT TESTED here: attacks of a build step in bwrap: {reason}")
    with opened_room() as room, World(room) as world:
        suite = Suite(sandbox, world)
        program = suite.submit("builds", submission(suite))
        log = build_log(prepare_program(program, suite.sandbox))
        yield suite, dict(re.findall(r"^== (\w+)\n(.*?)(?=^== |\Z)", log, re.MULTILINE | re.DOTALL))


def submission(suite):
    files = {"all_of_it.py": (PROGRAMS / "all_of_it.py").read_bytes()}
    for attack in TRIED:
        for name, content in suite.files(attack.source, suite.peer.folder).items():
            files[f"attacks/{attack.name}/{name}"] = content
    build = json.dumps(["python3", "all_of_it.py", suite.world.mark])
    files["bot.toml"] = f'name = "builds"\nbuild = {build}\nrun = ["python3", "x.py"]\n'.encode()
    return files


@pytest.mark.parametrize("attack", TRIED, ids=lambda attack: attack.name)
def test_an_attack_in_a_build_step_reaches_nothing(built, attack):
    _, logs = built
    assert re.search(attack.log, logs[attack.name])
    assert [line for line in logs[attack.name].splitlines() if line.startswith("could:")] == []


def test_a_build_step_that_attacks_leaves_nothing_behind(built):
    suite, _ = built
    assert suite.sandbox.living(suite.world.mark) == []
    assert left_behind(suite.world.mark, suite.world.room) == []
    assert suite.world.visits() == []


def test_attacks_in_c_were_made_in_the_build_step_too(not_tested):
    if GCC is None:
        not_tested("attacks in C in a build step", "there is no gcc")
    assert any(attack.compiled for attack in TRIED)
