"""A worker of the tests that is told when to report what it has claimed; run by test_cut_off.py.

Its argument is the address of the tournament service. It prints the block's id, waits for a line, reports the
block until that is answered, and prints "booked" or why it was refused.
"""

import sys
from contextlib import suppress

from bench.support.patience import Deadline
from maumau.errors import ArenaUnreachable, DeadlinePassed, MaumauError
from tests.support.arenas.play import play_order
from tests.support.arenas.tournament import Worker


def main(address):
    worker = Worker(address, "w-late")
    order = worker.claim(wait=10.0)
    print(order.block_id, flush=True)
    sys.stdin.readline()
    try:
        report(worker, order)
    except MaumauError as error:
        print(error.reason)
    else:
        print("booked")


def report(worker, order):
    sets, last = play_order(order), Deadline(120)
    while not last.has_passed():
        with suppress(ArenaUnreachable, DeadlinePassed):
            return worker.report(order, sets)
    raise DeadlinePassed


main(sys.argv[1])
