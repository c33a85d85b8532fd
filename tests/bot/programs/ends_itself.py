"""Kills itself when it is asked for the third time."""

import os
import signal

import loop


def act(message, asks):
    if asks == 3:
        os.kill(os.getpid(), signal.SIGKILL)
        raise SystemExit(128 + signal.SIGKILL)  # the first process of a namespace survives its own signals
    return loop.first(message)


loop.play(act)
