"""Never makes a call."""

import loop

loop.play(lambda message, asks: message["legal"][0])
