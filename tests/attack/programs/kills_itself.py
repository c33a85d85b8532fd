"""Looks like one that the machine has killed for its memory."""

import os
import signal

import wall


def end():
    wall.say("as if the machine had killed me")
    if os.fork() == 0:
        os._exit(0)
    signal.raise_signal(signal.SIGKILL)
    os._exit(137)


wall.run(end)
