"""Makes itself look starved: its children keep the core busy, and it has work but never gets to it."""

import os

import wall


def starve():
    wall.say("my children keep me from the core")
    for _ in range(25):
        if os.fork() == 0:
            while True:
                pass
    while True:
        pass


wall.run(starve)
