"""A signal may ask for the stop at any moment."""

from __future__ import annotations

import signal

from services.supervisor.stop import Stop


def test_a_signal_that_comes_while_the_event_is_locked_waits_for_nobody() -> None:
    stop = Stop()
    before = signal.signal(signal.SIGUSR1, stop.ask)
    try:
        with stop._cond:  # where `wait` is for a moment
            signal.raise_signal(signal.SIGUSR1)
        assert stop.wait(0)
        assert stop.is_set()
    finally:
        signal.signal(signal.SIGUSR1, before)
