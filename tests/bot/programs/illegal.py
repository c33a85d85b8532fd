"""Lays a card that it does not hold, at its third question."""

import loop


def act(message, asks):
    lacking = [rank + suit for rank in "789TJQKA" for suit in "CSHD" if rank + suit not in message["hand"]]
    return lacking[0] if asks == 3 else loop.first(message)


loop.play(act)
