"""Wants more memory than there is."""

import loop


def act(message, asks):
    hoard = []
    while asks == 3:
        hoard.append(bytearray(b"x") * (1 << 20))
    return loop.first(message)


loop.play(act)
