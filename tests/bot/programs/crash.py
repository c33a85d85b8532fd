"""Raises an error at its fifth question."""

import sys

import loop


def act(message, asks):
    if asks == 5:
        print("about to fail", file=sys.stderr)
        raise ValueError("no idea what to play")
    return loop.first(message)


loop.play(act)
