"""Thinks until its bank is empty."""

import loop


def act(message, asks):
    while asks == 4:
        pass
    return loop.first(message)


loop.play(act)
