"""Leaves word in the caches of /usr, or reads it: `carry.py STORE SALT [BITS]`. Not a player.

With BITS (zeros and ones) it touches the places of the ones; without, it prints the nanoseconds of each.
"""

import os
import random
import sys
import time

PAGE = 4096
PLACES = 64


def names(salt):
    """Return look-ups of new names: failed ones, which a disk's file system caches."""
    return [lambda name=f"/usr/lib/{salt}-{number}": os.path.lexists(name) for number in range(PLACES)]


def pages(salt):
    """Return touches of pages of random files below /usr."""
    found = [os.path.join(top, name) for top, _, files in os.walk("/usr") for name in files]
    large = sorted(path for path in found if os.path.isfile(path) and os.path.getsize(path) > 64 * PAGE)
    chosen = random.Random(salt)
    return [page_of(chosen.choice(large), chosen) for _ in range(PLACES)]


def page_of(path, chosen):
    descriptor = os.open(path, os.O_RDONLY)
    where = chosen.randrange(os.path.getsize(path) // PAGE) * PAGE
    return lambda: os.pread(descriptor, 1, where)


def main():
    store, salt, *bits = sys.argv[1:]
    places = {"names": names, "pages": pages}[store](salt)
    if bits:
        for place, bit in zip(places, bits[0], strict=True):
            if bit == "1":
                place()
        return
    times = []
    for place in places:
        began = time.perf_counter_ns()
        place()
        times.append(time.perf_counter_ns() - began)
    print(*times)


if __name__ == "__main__":
    main()
