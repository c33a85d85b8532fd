"""A line of 1 GB without an end."""

import sys

import wall


def flood():
    wall.say("a line of 1 GB")
    for _ in range(1024):
        sys.stdout.write("7" * (1 << 20))
    sys.stdout.flush()


wall.run(flood)
