"""A lease kept by a thread while its owner works, and the answer to whether he should go on."""

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
from services.shared import log

SILENT = (ArenaUnreachable, DeadlinePassed, DatabaseUnavailable, DiskFull)  # it may be well again soon
NOT_LET_IN = (ExpiredToken, MissingToken, NotAllowed, RevokedToken, UnknownToken)
RENEWALS = 4  # renewals in the time of a lease

logger = log.get(__name__)


class Lease:
    """`renew` says whether the work is still needed, or raises; it is called in the thread alone.

    `over` is true once the work is not needed, the lease is lost, or the worker shall stop.
    """

    def __init__(
        self, seconds: float, renew: Callable[[], bool], stopping: Callable[[], bool], every: float = math.inf
    ) -> None:
        """A lease of `seconds`, renewed four times in that time, or every `every` seconds if sooner."""
        self.seconds, self.renew, self.stopping = seconds, renew, stopping
        self.every = min(every, seconds / RENEWALS)
        self.dropped = self.lost = False
        self._until = time.monotonic() + seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=copy_context().run, args=(self._keep,), daemon=True)

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
        """Seconds that the lease certainly holds."""
        return max(self._until - time.monotonic(), 0.0)

    def _keep(self) -> None:
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
