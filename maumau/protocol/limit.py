"""Limits of submissions and running programs: every number in one place, sent and stored as it is."""

from __future__ import annotations

import msgspec

KIB = 1024
MIB = 1024 * KIB


class UploadLimits(msgspec.Struct, frozen=True):
    """Limits of a submission: bytes, members and the length of a path in bytes."""

    packed: int = 8 * MIB
    unpacked: int = 64 * MIB
    members: int = 1000
    path: int = 240


class RunLimits(msgspec.Struct, frozen=True):
    """Limits of one running program: memory and /tmp in MiB, line and stderr in bytes, init in seconds."""

    memory_mib: int = 512
    processes: int = 32
    files: int = 256
    tmp_mib: int = 16
    line: int = 64 * KIB
    stderr: int = 64 * KIB
    init_cpu: float = 2.0
    init_wall: float = 15.0
    wall_factor: int = 10


UPLOAD = UploadLimits()

BUILD_SECONDS = 120.0
BUILD = RunLimits(
    memory_mib=2048, processes=256, files=1024, tmp_mib=512, init_cpu=BUILD_SECONDS, init_wall=300.0
)
"""Limits of a build step; its CPU time and its wall time are those of `init`."""

BUILT = UploadLimits(packed=64 * MIB, unpacked=128 * MIB, members=2500)
"""Limits of a build's result, which includes the submission's own files."""
