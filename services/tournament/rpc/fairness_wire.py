"""The two reports for organisers as messages."""

import math
from collections.abc import Sequence

from maumau.v1 import tournament_pb2 as pb
from services.tournament.history.fairness import AlikeFound, HelpFound

MOST_LINES = 200
MOST_LABELS = 50
WAYS = {"against": pb.HELP_WAY_AGAINST, "in favour": pb.HELP_WAY_IN_FAVOUR}


def fairness_message(helps: Sequence[HelpFound], alike: Sequence[AlikeFound]) -> pb.GetFairnessResponse:
    """Return the reports as a message; both lists have what matters first."""
    return pb.GetFairnessResponse(
        helps=map(_build_help, helps[:MOST_LINES]),
        help_tests=len(helps),
        alike=map(_build_likeness, alike[:MOST_LINES]),
        pairs_compared=len(alike),
    )


def _build_help(found: HelpFound) -> pb.Help:
    one = found.help
    return pb.Help(
        helper=one.helper,
        helped=one.helped,
        way=WAYS[one.way],
        sets=one.sets,
        lead=round(one.lead, 4),
        error=round(one.error, 4),
        p=float(f"{one.p:.3g}"),
        named=one.named,
        matches=found.matches[:MOST_LABELS],
    )


def _build_likeness(found: AlikeFound) -> pb.Likeness:
    one = found.likeness
    message = pb.Likeness(label=found.label, **{name: getattr(one, name) for name in COUNTS})
    if not math.isnan(one.usual):
        message.usual, message.distance = round(one.usual, 4), round(one.distance, 2)
    return message


COUNTS = ("first", "second", "deals", "same", "changed", "share", "named")
