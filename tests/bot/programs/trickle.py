"""Answers one byte at a time and never ends the line."""

import sys
import time

import loop


def act(message, asks):
    while True:
        sys.stdout.write("7")
        sys.stdout.flush()
        time.sleep(0.02)


loop.play(act)
