"""Says hello and never another word."""

import loop

loop.play(lambda message, asks: None)
