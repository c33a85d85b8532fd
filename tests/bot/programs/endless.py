"""Answers with 1 GB without an end of line."""

import os

import loop


def act(message, asks):
    for _ in range(16_384):
        os.write(1, b"7" * 65536)


loop.play(act)
