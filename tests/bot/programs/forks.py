"""A fork bomb; who of it survives plays on."""

import os

import loop


def act(message, asks):
    if asks == 3:
        parent = os.getpid()
        for _ in range(10_000):
            try:
                os.fork()
            except OSError:
                break
        while os.getpid() != parent:
            pass
    return loop.first(message)


loop.play(act)
