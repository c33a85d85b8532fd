"""The equipment of a pool's child."""

import os
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from maumau.errors import MaumauError
from maumau.referee.pace import Pace
from maumau.sandbox.files import artifact_cache, offer
from maumau.sandbox.launch import Sandbox
from services.worker.artifact import Artifacts
from services.worker.client import Registry, TournamentClient
from services.worker.metrics import CounterTally


class Failures:
    """Failures of a worker since its last result; `tests`: self-tests since then."""

    def __init__(self) -> None:
        self.count = self.tests = 0

    def note(self, outcome: str) -> None:
        """Count the outcome of a block or a validation, in the words of the metrics."""
        if outcome == "done":
            self.count = self.tests = 0
        elif outcome == "failed":
            self.count += 1


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The equipment of a worker.

    `stopping`: it shall end. Clients connect at their first call, in the child. `pace` is that of its core,
    from block to block. `unbuilt`: errors of builds in play, by content hash. `memory`: MiB for the programs
    of a block together; 0: any. `image_required`: programs play only if the system files that they see are in
    memory. `end` ends this worker when it is not admitted.
    """

    name: str
    core: int | None
    sandbox: Sandbox
    artifacts: Artifacts
    tournament: TournamentClient
    registry: Registry
    tally: CounterTally
    stopping: Callable[[], bool]
    end: Callable[[MaumauError], None] = lambda _: None
    memory: int = 0
    image_required: bool = False
    pace: Pace = field(default_factory=Pace)
    unbuilt: dict[str, str] = field(default_factory=dict)
    failures: Failures = field(default_factory=Failures)

    def refuse_runtime(self, runtime: str) -> str:
        """Return the reason why programs of a runtime present here may not play here; empty if they may."""
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
        """Count the outcome of a block or a validation."""
        self.tally.add(what, label=outcome)
        self.failures.note(outcome)


def worker_name() -> str:
    """Return HOST-PID of this process, with hyphens for characters that a worker's name cannot have."""
    machine = re.sub(r"[^A-Za-z0-9._-]+", "-", socket.gethostname()).lstrip("._-")
    return f"{machine or 'worker'}-{os.getpid()}"
