"""Which machines play, and whether the seatings of a block are played on different ones. Pure: decision 78.

What a program leaves behind on a machine cannot be found there by its next seating, which would know the
cards. So while two machines ask for blocks that both can play, each seating is ordered by itself.
"""

from collections.abc import Collection, Iterable

import msgspec

from services.shared.worker_name import machine_prefix

RECENT = 60_000  # ms since a machine asked for a block in which it counts as one that plays


class Machine(msgspec.Struct):
    """One that asked. memory: MiB for the programs of a block, 0 if it does not say; lacks: hashes."""

    memory: int
    lacks: frozenset[str]
    at: int


class Machines:
    """Those that asked this process for blocks lately."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Machine]] = {}

    def note(self, worker: str, memory: int, lacks: frozenset[str], now: int) -> None:
        self._known.setdefault(machine_prefix(worker), {})[worker] = Machine(memory, lacks, now)

    def has_other(self, worker: str, hashes: Iterable[str], memory: int, now: int) -> bool:
        """Whether another machine than this worker's asks for blocks with these rules and programs."""
        here, needed = machine_prefix(worker), set(hashes)
        self._forget(now)
        return any(
            needed.isdisjoint(one.lacks) and (not one.memory or memory <= one.memory)
            for machine, workers in self._known.items() if machine != here
            for one in workers.values()
        )  # fmt: skip

    def _forget(self, now: int) -> None:
        for machine, workers in list(self._known.items()):
            kept = {name: one for name, one in workers.items() if now - one.at < RECENT}
            self._known[machine] = kept
            if not kept:
                del self._known[machine]


def choose_seating(seats: int, there: Collection[int], *, has_other: bool) -> int | None:
    """The one that is ordered; None for all of them. there: those that were played.

    The first once more if none is missing: who brought the last one was not booked, as the service ended or
    the database failed just then. The next report, of whichever seating, finds all of them and books them.
    """
    if not there and not has_other:
        return None
    return next((seating for seating in range(seats) if seating not in there), 0)
