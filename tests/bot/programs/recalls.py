"""Ends at its 70th question; what it is told of a deal must begin with its beginning."""

import os

import loop

met = set()


def act(message, asks):
    if asks == 70:
        os._exit(7)
    begins = message["events"][:1] != [] and message["events"][0].startswith(("up ", "cut "))
    if (message["deal"] in met) == ("rng" in message) or begins != ("rng" in message):
        return "I was told wrongly"
    met.add(message["deal"])
    return loop.first(message)


loop.play(act)
