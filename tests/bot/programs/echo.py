"""Plays as it should and says in its log what it was sent."""

import json
import sys

import loop


def act(message, asks):
    print(json.dumps(message), file=sys.stderr)
    return loop.first(message)


loop.play(act)
