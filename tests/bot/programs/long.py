"""Answers in the long form, with a note, and once with a late call that nobody listed."""

import json

import loop


def act(message, asks):
    late = ["!"] if asks == 4 and "also" not in message else []
    return json.dumps({"act": loop.first(message), "note": f"note {asks}", "also": late})


loop.play(act)
