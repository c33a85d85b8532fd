"""The harmless peer: plays what the referee's stand-in would play."""

import wall

wall.play()
