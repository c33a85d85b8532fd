"""Leaves a process behind that has detached itself, ignores signals and would live for ten minutes."""

import os
import signal
import time

import wall


def detach():
    if os.fork():
        wall.say("left a daemon behind")
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    os.closerange(0, 256)
    time.sleep(600)


wall.run(detach)
