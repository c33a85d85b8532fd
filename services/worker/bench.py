"""What a child of the pool works with."""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from maumau.bot import artifact_cache, offer
from maumau.bot.pace import Pace
from maumau.bot.sandbox import Sandbox
from maumau.errors import MaumauError
from services.worker.artifact import Artifacts
from services.worker.client import Registry, Tournament
from services.worker.metrics import Tally


class Failures:
    """Those of a worker since its last result; `tests` of itself since then."""

    def __init__(self) -> None:
        self.count = self.tests = 0

    def note(self, outcome: str) -> None:
        """What became of a block or a validation, in the words of the metrics."""
        if outcome == "done":
            self.count = self.tests = 0
        elif outcome == "failed":
            self.count += 1


@dataclass(frozen=True, kw_only=True)
class Bench:
    """`stopping`: the worker shall end. The clients connect at their first call, in the child. `pace` is that
    of its core, from block to block. `unbuilt` says, by content hash, why a build failed in play. `memory`
    is what the programs of a block may use together, in MiB; 0 for any. `image_required`: programs play only
    where what they find of the system lies in memory. `end` ends this worker, which is not let in.
    """

    name: str
    core: int | None
    sandbox: Sandbox
    artifacts: Artifacts
    tournament: Tournament
    registry: Registry
    tally: Tally
    stopping: Callable[[], bool]
    end: Callable[[MaumauError], None] = lambda _: None
    memory: int = 0
    image_required: bool = False
    pace: Pace = field(default_factory=Pace)
    unbuilt: dict[str, str] = field(default_factory=dict)
    failures: Failures = field(default_factory=Failures)

    def refuse_runtime(self, runtime: str) -> str:
        """Why programs of this runtime may not play here although it is here, in words; empty if they may."""
        if not self.image_required or offer.explain_missing(runtime, own_user=artifact_cache.own_users()):
            return ""
        if self.sandbox.holds_in_memory(runtime):
            return ""
        return (
            f"the runtime {runtime} has no image in memory on this worker, so that what a program reads would"
            " tell its next seating something; `maumau up --trust` or MAUMAU_IMAGE=optional plays it all the"
            " same"
        )

    def note(self, what: str, outcome: str) -> None:
        """Counts what became of a block or a validation."""
        self.tally.add(what, label=outcome)
        self.failures.note(outcome)


def worker_name() -> str:
    """HOST-PID, of the process that the supervisor started."""
    return f"{socket.gethostname()}-{os.getpid()}"
