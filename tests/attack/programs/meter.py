"""Not an attack but a victim: for each question the same amount of work, whose CPU time is looked at."""

import wall


def work(message, asks):
    value = 0
    for number in range(40000):
        value = (value * 31 + number) & 0xFFFF
    return wall.first(message)


wall.play(work)
