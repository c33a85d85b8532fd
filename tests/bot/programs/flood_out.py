"""Writes answer after answer as fast as it can, asked or not."""

import os

import loop


def act(message, asks):
    while True:
        os.write(1, b"7S\n" * 20_000)


loop.play(act)
