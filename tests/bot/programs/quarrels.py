"""Lays what it can, says no call, and accuses everybody of everything now and then."""

import json

import loop


def act(message, asks):
    open_now = [late for late in message.get("also", []) if late.startswith("accuse")]
    chosen = open_now[asks % 7 :: 7][:2] if asks % 3 == 0 else []
    return json.dumps({"act": message["legal"][0], "also": chosen})


loop.play(act)
