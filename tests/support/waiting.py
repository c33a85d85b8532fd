"""Conditions that tests wait for, and ports for the programs that they start."""

import socket

from tests.support import polling


def until(ready, seconds=15.0):
    """Return the first true answer, as `polling.until` does for a condition without a name."""
    return polling.until("what the test waits for", ready, seconds)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
