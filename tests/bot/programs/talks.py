"""Notes what it does, and a long tail."""

import json

import loop


def act(message, asks):
    action = loop.first(message)
    return json.dumps({"act": action, "note": f"{action} {'x' * 600}"})


loop.play(act)
