"""Limits processes to a share of a core with control groups, to imitate smaller hosts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

CGROUP_V1, CGROUP_V2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
PERIOD = 20_000  # µs in which a process has its share: no call waits much longer for it


@contextmanager
def limit_cpu(pids: Iterable[int], share: float) -> Iterator[None]:
    """Limit each process to `share` of one core. Needs root and writable control groups, else OSError."""
    groups = []
    try:
        for pid in pids:
            group = (CGROUP_V1 if CGROUP_V1.exists() else CGROUP_V2) / f"maumau-bench-{pid}"
            group.mkdir()
            groups.append(group)
            _set_quota(group, round(share * PERIOD))
            (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        for group in groups:
            for pid in (group / "cgroup.procs").read_text().split():
                (group.parent / "cgroup.procs").write_text(pid)
            group.rmdir()


def _set_quota(group: Path, quota: int) -> None:
    if group.parent == CGROUP_V1:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD))
        (group / "cpu.cfs_quota_us").write_text(str(quota))
    else:
        (CGROUP_V2 / "cgroup.subtree_control").write_text("+cpu")
        (group / "cpu.max").write_text(f"{quota} {PERIOD}")
