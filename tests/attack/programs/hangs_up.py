"""Closes its stdout and lives on."""

import os
import time

import wall


def hang_up():
    wall.say("hanging up")
    os.close(1)
    time.sleep(600)


wall.run(hang_up)
