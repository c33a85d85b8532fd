"""Answers with the signs of the suits, in JSON."""

import loop


def act(message, asks):
    return "Q♠>♣"


loop.play(act)
