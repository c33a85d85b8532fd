"""Answers that a program gets without a clock are the same in each life, whatever the one before has done.

Known gaps of docs/explanation/security.md are left out: numbers of pipes, processes, mounts, memory.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from maumau.errors import SandboxUnavailable
from maumau.protocol.limit import RunLimits
from maumau.sandbox.launch import Launch, choose_sandbox
from tests.attack import carry_answers
from tests.attack.test_forked_memory import read_output

QUIET = 3
"""Lives in which nothing is done; answers that differ among them cannot be compared."""


@pytest.fixture(params=["warm", "cold"])
def read(request, tmp_path, not_tested):
    """Return a function: the answers of a life, which then does something for the next one."""
    try:
        sandbox = choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        not_tested("what a program can ask", str(reason))
    sandbox.warmth.allowed = request.param == "warm"
    (tmp_path / "bot.py").write_bytes(Path(carry_answers.__file__).read_bytes())

    def live(*acts):
        launch = Launch(tmp_path, "", ["python3", "bot.py", *acts], "python", RunLimits(), 60)
        with closing(sandbox.start(launch)) as sandboxed:
            answers, *done = read_output(sandboxed.stdout).decode().splitlines()
        assert done == [*acts]
        return json.loads(answers)

    return live


@pytest.mark.long
def test_no_answer_depends_on_what_the_life_before_has_done(read):
    first, *others = [read() for _ in range(QUIET)]
    fixed = {key for key in first if all(other[key] == first[key] for other in others)}
    assert len(fixed) >= len(first) - 2
    moved = {}
    for act in carry_answers.ACTS:
        read(act)
        after = read()
        moved[act] = {key: (first[key], after[key]) for key in fixed if after[key] != first[key]}
    assert moved == {act: {} for act in carry_answers.ACTS}
