"""The attacks on a worker that is not root: those within one process in `process`, all in `bwrap`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from bench.support.patience import patient
from tests.attack.as_user import Line
from tests.attack.table import attacks, wrong
from tests.support.host.nobody import CANNOT

ROOT = Path(__file__).resolve().parents[2]
HERE = [(tier, attack) for tier in ("process", "bwrap") for attack in attacks() if tier in attack.tiers]
MARKED = [
    pytest.param(tier, attack, marks=pytest.mark.long if later else (), id=f"{tier}-{attack.name}")
    for number, (tier, attack) in enumerate(HERE)
    for later in [tier == "bwrap" or number % 6 > 0]
]


class Others:
    """The suite in a process without rights: its findings about each attack, as they come."""

    def __init__(self, tier: str, names: list[str], view: Path) -> None:
        words = [sys.executable, "-m", "tests.attack.as_user", str(view), tier, *names]
        alone = ["unshare", "--mount", "--propagation", "private"] if os.geteuid() == 0 else []
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            [*alone, *words],
            cwd=ROOT,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: dict[str, Line] = {}

    def line(self, name: str) -> Line:
        while name not in self.lines:
            text = self.process.stdout.readline()
            if not text:
                words = self.process.communicate()[1].strip()
                if self.process.returncode == CANNOT or "SandboxUnavailable" in words:
                    pytest.skip(f"NOT TESTED here as a user without rights: {words[-300:]}")
                raise AssertionError(words)
            line = msgspec.json.decode(text, type=Line)
            self.lines[line.name] = line
        return self.lines[name]


GCC = shutil.which("gcc")


@pytest.fixture(scope="module")
def others(request, tmp_path_factory):
    """Return a function that runs the chosen attacks of a tier; remaining processes are killed."""
    begun: dict[str, Others] = {}
    chosen = [item.callspec.params for item in request.session.items if item.path == request.path]

    def of(tier: str) -> Others:
        if tier not in begun:
            tried = [each["attack"] for each in chosen if each["tier"] == tier]
            names = [attack.name for attack in tried if GCC or not attack.compiled]
            begun[tier] = Others(tier, names, tmp_path_factory.mktemp("view"))
        return begun[tier]

    yield of
    for each in begun.values():
        with suppress(subprocess.TimeoutExpired):
            each.process.communicate(timeout=patient(10))
        each.process.kill()
        each.process.communicate()


@pytest.mark.sample(2)
@pytest.mark.parametrize(("tier", "attack"), MARKED)
def test_an_attack_as_a_user_without_rights_harms_nobody(others, tier, attack, not_tested):
    if attack.compiled and GCC is None:
        not_tested("attacks in C", "there is no gcc")
    line = others(tier).line(attack.name)
    assert line.words == ""
    assert wrong(attack, line.found, tier, grouped=line.grouped) == []
