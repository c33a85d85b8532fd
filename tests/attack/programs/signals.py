"""Signals to strangers: the referee by its number, everybody, its group, low numbers."""

import os
import signal

import wall


def everybody():
    """Ask all processes to end: `kill -1` spares the sender."""
    os.kill(-1, signal.SIGTERM)
    return True


def send(pid, number=signal.SIGKILL):
    os.kill(pid, number)
    return True


def neighbours():
    return wall.strangers([pid for pid in range(2, 70000) if _lives(pid)])


def _lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


attempts = {
    "end the referee": lambda: send(wall.TARGETS["pid"]),
    "end the group of the referee": lambda: send(-wall.TARGETS["pid"]),
    "queue a signal for the referee": lambda: wall.call("sigqueue", wall.TARGETS["pid"], 9, None),
    "find anybody to signal": neighbours,
}
if not wall.BUILD:  # a build step would only end its own wrapper
    attempts["end everybody"] = everybody
wall.tries(**attempts)
