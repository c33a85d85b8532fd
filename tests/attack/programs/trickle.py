"""A byte a second, so that something always comes."""

import sys
import time

import wall


def trickle():
    wall.say("drop by drop")
    while True:
        sys.stdout.write("7")
        sys.stdout.flush()
        time.sleep(1 if wall.LONG else 0.1)


wall.run(trickle)
