"""docs/explanation/security.md says what the suite tries."""

from __future__ import annotations

import re
from pathlib import Path

from maumau.protocol.limit import RunLimits
from maumau.sandbox.kernel import seccomp
from tests.attack.table import table

PAGE = Path(__file__).resolve().parents[2] / "docs/explanation/security.md"


def test_the_page_names_every_attack_once():
    *_, tried = PAGE.read_text().partition("\n| aim | attacks |\n")
    rows = re.match(r"(?:\|.*\n)+", tried)
    assert rows
    named = re.findall(r"`(\w+)`", rows[0])
    assert sorted(named) == sorted(attack.name for attack in table().attack)
    assert f"\n{len(table().upload)} uploads try" in tried


def test_the_page_names_the_limits_and_the_calls_that_are_refused():
    text, limits = PAGE.read_text(), RunLimits()
    assert f"| number of processes (fork bombs) | **not held** | held: {limits.processes} |" in text
    assert f"but `/tmp`, {limits.tmp_mib} MiB" in text
    for word in ("ptrace", "bpf", "perf", "io_uring", "userfaultfd", "vmsplice", "inotify", "mount"):
        assert word in text
        assert word == "io_uring" or any(
            word in name for name in seccomp.list_refused_calls()
        )  # this one by number
