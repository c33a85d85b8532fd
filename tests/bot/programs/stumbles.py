"""Faults at decisions that follow from a deal alone, in one of three ways; else lays what is listed first."""

import hashlib
import os
import sys

import loop

SHARE = int(sys.argv[2])  # decisions per fault, on average

seeds, seen = {}, {}


def act(message, _):
    deal = message["deal"]
    if "rng" in message:
        seeds[deal], seen[deal] = message["rng"], []
    seen[deal] += message["events"]
    drawn = hashlib.sha256("\n".join([seeds[deal], *seen[deal]]).encode()).digest()
    if int.from_bytes(drawn[:4], "big") % SHARE:
        return loop.first(message)
    if drawn[4] % 3 == 0:
        os._exit(7)
    return "2C2C2C2C" if drawn[4] % 3 == 1 else "nonsense"


loop.play(act)
