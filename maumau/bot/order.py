"""The messages between the referee and its fork server about a warm start."""

from __future__ import annotations

import msgspec

SPACES = ("pid", "mnt", "net", "ipc", "uts", "cgroup", "user")  # the user last: the rights end with it
READY = GO = b"."
MAX_ORDER = 65536  # bytes of an order


class Order(msgspec.Struct, frozen=True):
    """What becomes of a fork: the words after `python3`, its user and group, cores, limits and filter.

    With it go the namespaces (in the order of SPACES), stdin, stdout and stderr, a handle of the wall's first
    process, and a pipe for the reports.
    """

    words: list[str]
    user: int
    group: int
    cores: list[int]
    limits: dict[str, int]
    filter: bytes


class Born(msgspec.Struct, frozen=True):
    """The first report: the number of the process, as the fork server and the referee know it."""

    pid: int


class Used(msgspec.Struct, frozen=True):
    """The last one: CPU time in seconds, most memory in KiB, exit code if known (128 + n: signal n)."""

    cpu: float
    peak: int
    code: int | None = None
