"""Stops itself and everybody it can."""

import os
import signal
import time

import wall


def stop():
    wall.say("everybody stops")
    if os.fork() == 0:
        os.kill(os.getppid(), signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(600)


wall.run(stop)
