"""A good reply of thousands of bytes, a byte at a time: the referee has the most work with it."""

import json
import os

import wall

LENGTH = 60_000 if wall.LONG else 5_000


def act(message, asks):
    if asks != 2:
        return wall.first(message)
    for byte in json.dumps({"act": wall.first(message), "note": "x" * LENGTH}):
        os.write(1, byte.encode())
    os.write(1, b"\n")
    wall.say(LENGTH, "writes")
    return None


wall.play(act)
