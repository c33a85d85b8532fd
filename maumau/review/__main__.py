"""`python -m maumau.review`: a review in a process of its own, of the lowest priority.

It reads an order from stdin and writes the review, or an error's reason and sentence, to stdout, as JSON.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from typing import Final

import msgspec

from maumau.errors import MaumauError
from maumau.game.replay import replay_stages
from maumau.game.ruleset.own import load_text
from maumau.review.review import Review, review_deal

LOWEST: Final = 19  # of nice
PR_SET_PDEATHSIG: Final = 1
SLACK: Final = 6  # times the budget, after which the kernel ends it: its prices are those of a slow core


class ReviewOrder(msgspec.Struct, frozen=True):
    """The review that is wanted. rules, variant_toml: of a custom variant."""

    record: str
    seat: int
    seconds: float
    rules: str = ""
    variant_toml: str = ""


class Answer(msgspec.Struct, frozen=True):
    """The review, or why there is none."""

    review: Review | None = None
    reason: str = ""
    words: str = ""


def main() -> None:
    """Carry out one order, unless the process that gave it dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=ReviewOrder)
    os.setpriority(os.PRIO_PROCESS, 0, LOWEST)
    most = int(order.seconds * SLACK) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    sys.stdout.buffer.write(msgspec.json.encode(carry_out(order)))


def carry_out(order: ReviewOrder) -> Answer:
    """Return the review, or the error that the record has."""
    try:
        own = load_text(order.rules, order.variant_toml) if order.variant_toml else None
        stages = replay_stages(order.record, own=own)
        return Answer(review_deal(stages, order.seat, seconds=order.seconds))
    except MaumauError as error:
        return Answer(None, error.reason, str(error))


if __name__ == "__main__":
    main()
