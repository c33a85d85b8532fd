"""The stop of an arena, for which a signal may ask at any moment."""

import threading


class Stop(threading.Event):
    """An event that a signal handler may `ask` to be set at the next look.

    `set` in a handler would wait for itself if the signal came while the same thread was inside `wait`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._asked = False

    def ask(self, *_: object) -> None:
        """For signal handlers: takes no lock."""
        self._asked = True

    @property
    def asked(self) -> bool:
        """Whether a signal came, even if nobody has looked since."""
        return self._asked

    def wait(self, timeout: float | None = None) -> bool:
        if self._asked:
            self.set()
        return super().wait(timeout)
