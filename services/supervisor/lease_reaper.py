"""Reports of dead workers, so that their blocks are queued at once, not when their leases run out.

That a worker has ended is certain here: its process was waited for, or the run that had it is over and its
lock was free. Were it wrong all the same, the fence would refuse the dead worker's report.
"""

import queue
import socket
import threading

from maumau.client.arena import Arena
from maumau.errors import ClosedClient, MaumauError
from services.supervisor.folder import Card
from services.supervisor.layout import WORKER_PREFIX
from services.supervisor.process.roster import Say

POLL = 2.0
"""Seconds between checks for the arena's stop."""


class LeaseReaper:
    """A queue of ended workers, filled from any thread; `run` ends their leases in a thread of its own."""

    def __init__(self, card: Card, say: Say) -> None:
        self._say = say
        self._names = queue.SimpleQueue[str]()
        for name, pid in card.processes.items():  # of the run before, unless it ended in order
            self.note_end(name, pid)

    def note_end(self, name: str, pid: int) -> None:
        """Note that a process of this name has ended."""
        if pid and name.startswith(WORKER_PREFIX):
            self._names.put(f"{socket.gethostname()}-{pid}")

    def run(self, admin: Arena, stop: threading.Event) -> None:
        """Report ended workers until `stop`."""
        while not stop.is_set():
            try:
                admin.release([self._names.get(timeout=POLL)])
            except queue.Empty:
                continue
            except ClosedClient:
                return
            except MaumauError as error:
                self._say(f"error: {error}; what the worker had waits for its lease")
