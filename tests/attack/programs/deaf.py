"""Closes its stdin, and says what it would have said."""

import os
import time

import wall


def act(message, asks):
    if asks == 2:
        wall.say("not listening")
        os.close(0)
        wall.reply(wall.first(message))
        time.sleep(600)
    return wall.first(message)


wall.play(act)
