"""Takes memory until there is no more."""

import wall


def take():
    held = []
    for _ in range(64):
        held.append(bytearray(16 << 20))
        wall.say(f"have {16 * len(held)} MiB")


wall.run(take)
