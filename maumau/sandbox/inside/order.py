"""The messages between the referee and its fork server about a warm start."""

from __future__ import annotations

import msgspec

SPACES = ("pid", "mnt", "net", "ipc", "uts", "cgroup", "user")  # the user last: the rights end with it
READY = GO = b"."
MAX_ORDER = 65536  # bytes of an order


class ForkOrder(msgspec.Struct, frozen=True):
    """Parameters of a fork: the words after `python3`, its user and group, cores, limits and filter.

    `readable`: the files of /proc that it may read, by Landlock of this `version`; none: there is no /proc.
    With it go the namespaces (in the order of SPACES), stdin, stdout and stderr, a handle of the wall's first
    process, and a pipe for the reports.
    """

    words: list[str]
    user: int
    group: int
    cores: list[int]
    limits: dict[str, int]
    filter: bytes
    version: int
    readable: list[str]


class Born(msgspec.Struct, frozen=True):
    """The first report: the process's number, as the fork server and the referee see it."""

    pid: int


class ForkUse(msgspec.Struct, frozen=True):
    """The last report: CPU time in seconds, peak memory in KiB, exit code if known (128 + n: signal n)."""

    cpu: float
    peak: int
    code: int | None = None
