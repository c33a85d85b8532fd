"""Ends, and leaves its pipes to a child that keeps them open and writes on."""

import os
import time

import wall


def bequeath():
    wall.say("an heir has my pipes")
    if os.fork():
        os._exit(0)
    os.setsid()
    for _ in range(6000):
        time.sleep(0.1)
        try:
            os.write(1, b"draw\n")
        except OSError:
            return


wall.run(bequeath)
