"""The stop of an arena, which a signal may request at any moment."""

import threading


class Stop(threading.Event):
    """An event that a signal handler can request (`request_stop`); it is set at the next look.

    `set` in a handler would deadlock if the signal came while the same thread was inside `wait`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._asked = False

    def request_stop(self, *_: object) -> None:
        """Request the stop; for signal handlers, as it takes no lock."""
        self._asked = True

    @property
    def asked(self) -> bool:
        """True after a signal, even if it has not been noticed since."""
        return self._asked

    def wait(self, timeout: float | None = None) -> bool:
        if self._asked:
            self.set()
        return super().wait(timeout)
