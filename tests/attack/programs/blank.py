"""Empty lines by the hundred thousand."""

import sys

import wall


def flood():
    wall.say("lines of nothing")
    sys.stdout.write("\n" * 300_000)
    sys.stdout.flush()


wall.run(flood)
