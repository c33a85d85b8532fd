"""Says hello in its own way."""

import loop

loop.play(ready="good day")
