"""A bot that has a child process, whose CPU time is counted separately, do the thinking."""

import os

import loop


def act(message, asks):
    child = os.fork() if asks == 2 else 0
    while asks == 2 and child == 0:
        pass
    return os.wait() if child else loop.first(message)


loop.play(act)
