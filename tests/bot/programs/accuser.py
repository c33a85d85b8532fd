"""Accuses seat A in every window, if it may."""

import json

import loop


def act(message, asks):
    accusation = [late for late in message.get("also", []) if late == "accuse@A:mau"]
    window = message["ask"] == "window"
    return json.dumps({"act": loop.first(message), "also": accusation * 3 if window else []})


loop.play(act)
