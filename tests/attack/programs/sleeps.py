"""Says nothing any more."""

import time

import wall


def sleep():
    wall.say("good night")
    time.sleep(600)


wall.run(sleep)
