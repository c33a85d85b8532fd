"""docs/security.md says what the suite tries."""

from __future__ import annotations

from maumau.bot import seccomp
from maumau.bot.limit import RunLimits
from tests.attack.page import PAGE, lines


def test_the_page_has_the_table_of_the_suite():
    assert lines() in PAGE.read_text(), "python -m tests.attack.page writes it anew"


def test_the_page_names_the_limits_and_the_calls_that_are_refused():
    text, limits = PAGE.read_text(), RunLimits()
    assert f"| number of processes (fork bombs) | **not held** | held: {limits.processes} |" in text
    assert f"but `/tmp`, {limits.tmp_mib} MiB" in text
    for word in ("ptrace", "bpf", "perf", "io_uring", "userfaultfd", "vmsplice", "inotify", "mount"):
        assert word in text
        assert word == "io_uring" or any(
            word in name for name in seccomp.list_refused_calls()
        )  # that one by number
