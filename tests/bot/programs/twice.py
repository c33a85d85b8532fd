"""Writes each answer twice, the second time a moment later."""

import sys

import loop


def act(message, asks):
    sys.stdout.write(loop.first(message) + "\n")
    sys.stdout.flush()
    return loop.first(message)


loop.play(act)
