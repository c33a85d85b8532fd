"""Draws whenever it may, and passes: between two of it no deal ends by playing."""

import loop


def slow(message, asks):
    return next(
        (action for action in ("draw", "pass", "take") if action in message["legal"]), loop.first(message)
    )


loop.play(slow)
