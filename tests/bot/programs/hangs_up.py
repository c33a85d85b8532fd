"""Closes its stdout and lives on."""

import os
import time

import loop


def act(message, asks):
    os.close(1)
    while True:
        time.sleep(1)


loop.play(act)
