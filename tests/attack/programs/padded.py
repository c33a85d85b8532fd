"""Every reply is right, and as long as it may be: spaces, notes, everything twice."""

import json

import wall


def act(message, asks):
    right = wall.first(message)
    if asks == 1:
        wall.say("long replies")
    if asks % 2:
        return right + " " * (65_000 - asks)  # no two alike
    return json.dumps({"act": right, "note": "\N{GRINNING FACE}" * 10_000, "also": []}, ensure_ascii=False)


wall.play(act)
