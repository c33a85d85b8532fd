"""What a child of the pool works with."""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from maumau.bot.pace import Pace
from maumau.bot.sandbox import Sandbox
from services.worker.artifact import Artifacts
from services.worker.client import Registry, Tournament
from services.worker.metrics import Tally


@dataclass(frozen=True, kw_only=True)
class Bench:
    """`stopping`: the worker shall end. The clients connect at their first call, in the child. `pace` is that
    of its core, from block to block. `unbuilt` says, by content hash, why a build failed in play.
    """

    name: str
    core: int | None
    sandbox: Sandbox
    artifacts: Artifacts
    tournament: Tournament
    registry: Registry
    tally: Tally
    stopping: Callable[[], bool]
    pace: Pace = field(default_factory=Pace)
    unbuilt: dict[str, str] = field(default_factory=dict)


def worker_name() -> str:
    """HOST-PID, of the process that the supervisor started."""
    return f"{socket.gethostname()}-{os.getpid()}"
