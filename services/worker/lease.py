"""A lease renewed by a thread during the work, which learns whether to go on."""

import math
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from types import TracebackType
from typing import Self

from maumau.errors import (
    ArenaUnreachable,
    DatabaseUnavailable,
    DeadlinePassed,
    DiskFull,
    ExpiredToken,
    MaumauError,
    MissingToken,
    NotAllowed,
    RevokedToken,
    UnknownToken,
)
from services.shared.base import log

SILENT = (ArenaUnreachable, DeadlinePassed, DatabaseUnavailable, DiskFull)  # these may pass soon
NOT_LET_IN = (ExpiredToken, MissingToken, NotAllowed, RevokedToken, UnknownToken)
RENEWALS = 4  # renewals in the time of a lease

logger = log.get(__name__)


class Lease:
    """A lease of work. `renew` returns whether it is still needed, or raises; only the thread calls it.

    `over` is True once the work is not needed, the lease is lost, or the worker stops.
    """

    def __init__(
        self, seconds: float, renew: Callable[[], bool], stopping: Callable[[], bool], every: float = math.inf
    ) -> None:
        """Prepare a lease of `seconds`, renewed four times in that time, or sooner, every `every` seconds."""
        self.seconds, self.renew, self.stopping = seconds, renew, stopping
        self.every = min(every, seconds / RENEWALS)
        self.dropped = self.lost = False
        self._until = time.monotonic() + seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=copy_context().run, args=(self._keep_renewing,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, err: object, trace: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()

    def over(self) -> bool:
        return self.dropped or self.lost or self.stopping()

    @property
    def left(self) -> float:
        """The seconds for which the lease certainly holds."""
        return max(self._until - time.monotonic(), 0.0)

    def _keep_renewing(self) -> None:
        while not self._ended.wait(self.every) and not self.dropped and not self.lost:
            asked = time.monotonic()
            try:
                self.dropped = not self.renew()
                self._until = asked + self.seconds
            except SILENT as err:
                logger.warning("lease not renewed", words=str(err))
                self.lost = not self.left
            except MaumauError as err:
                logger.warning("lease lost", reason=err.reason, words=str(err))
                self.lost = True
