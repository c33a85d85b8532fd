"""Writes 100 MB to its log, and plays on as it should."""

import os

import loop


def act(message, asks):
    if asks == 1:
        for _ in range(1600):
            os.write(2, b"x" * 65536)
        os.write(2, b"that was all\n")
    return loop.first(message)


loop.play(act)
