"""100 MB of log, and it still plays."""

import sys

import wall


def chatter():
    for _ in range(100 if not wall.LONG else 1000):
        sys.stderr.write("x" * (1 << 20))
    wall.say("\nthat was all")


wall.run(chatter)
