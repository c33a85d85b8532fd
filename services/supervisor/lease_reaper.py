"""Workers that died are reported: what they had is played by others at once, not when their leases run out.

That a worker has ended is certain here: its process was waited for, or the run that had it is over and its
lock was free. Should it be wrong all the same, the fence refuses the dead worker's report.
"""

import queue
import socket
import threading

from maumau.client import Arena
from maumau.errors import ClosedClient, MaumauError
from services.supervisor.folder import Card
from services.supervisor.layout import WORKER_PREFIX
from services.supervisor.roster import Say

POLL = 0.5
"""Seconds between looks whether the arena stops."""


class LeaseReaper:
    """Takes names of ended workers from any thread; `run` has their leases ended, in a thread of its own."""

    def __init__(self, card: Card, say: Say) -> None:
        self._say = say
        self._names = queue.SimpleQueue[str]()
        for name, pid in card.processes.items():  # of the run before, unless it ended in order
            self.ended(name, pid)

    def ended(self, name: str, pid: int) -> None:
        """A process of this name has ended."""
        if pid and name.startswith(WORKER_PREFIX):
            self._names.put(f"{socket.gethostname()}-{pid}")

    def run(self, admin: Arena, stop: threading.Event) -> None:
        """Reports until `stop`."""
        while not stop.is_set():
            try:
                admin.release([self._names.get(timeout=POLL)])
            except queue.Empty:
                continue
            except ClosedClient:
                return
            except MaumauError as error:
                self._say(f"error: {error}; what the worker had waits for its lease")
