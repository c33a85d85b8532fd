"""Prints what it thinks where its answers go."""

import loop


def act(message, asks):
    return f"thinking about {','.join(message['legal'])}..." if asks == 1 else loop.first(message)


loop.play(act)
