"""Leaves a process behind that has detached itself, ignores signals and would live for an hour."""

import os
import signal
import time

import loop


def act(message, asks):
    if asks == 1 and os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        for descriptor in range(3):
            os.close(descriptor)
        time.sleep(3600)
    return loop.first(message)


loop.play(act)
