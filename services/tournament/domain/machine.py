"""Machines that play, and the choice to play seatings of a block on different ones. Pure: decision 30.

The next seating of a program, which would know the cards, cannot find there what an earlier one left
behind on its machine. So while two machines ask for blocks that both can play, seatings are ordered singly.
"""

import threading
from collections.abc import Collection, Iterable

import msgspec

from services.shared.base.worker_name import machine_prefix

RECENT = 60_000  # ms after a machine's last request for a block during which it counts as playing


class Machine(msgspec.Struct):
    """A machine that asked. memory: MiB for the programs of a block, 0 if not stated; lacks: hashes."""

    memory: int
    lacks: frozenset[str]
    at: int


class Machines:
    """Machines that asked this process for blocks lately; safe for threads."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Machine]] = {}
        self._guard = threading.Lock()

    def note_worker(self, worker: str, memory: int, lacks: frozenset[str], now: int) -> None:
        with self._guard:
            self._known.setdefault(machine_prefix(worker), {})[worker] = Machine(memory, lacks, now)

    def has_other(self, worker: str, hashes: Iterable[str], memory: int, now: int) -> bool:
        """Return True if another machine asks for blocks and can play these rules and programs."""
        here, needed = machine_prefix(worker), set(hashes)
        with self._guard:
            self._forget_old(now)
            return any(
                needed.isdisjoint(one.lacks) and (not one.memory or memory <= one.memory)
                for machine, workers in self._known.items()
                if machine != here
                for one in workers.values()
            )

    def _forget_old(self, now: int) -> None:
        for machine, workers in list(self._known.items()):
            kept = {name: one for name, one in workers.items() if now - one.at < RECENT}
            self._known[machine] = kept
            if not kept:
                del self._known[machine]


def choose_seating(seats: int, there: Collection[int], *, has_other: bool) -> int | None:
    """Return the seating to order; None for all of them. there: those that were played.

    If none is missing, the first is ordered once more: the last report was not booked because the service
    or the database failed just then. The next report, of any seating, finds all of them and books them.
    """
    if not there and not has_other:
        return None
    return next((seating for seating in range(seats) if seating not in there), 0)
