"""Ends in the middle of a line, with a word for success."""

import os

import wall


def leave():
    wall.say("I am off")
    os.write(1, b'{"act":"7')
    os._exit(0)


wall.run(leave)
