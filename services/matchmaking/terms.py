"""Terms of the contests that matchmaking has played: of ladders and of practice. Pure."""

import json

from msgspec.structs import replace

from maumau.contest.length import bound_length
from maumau.contest.score import SEATINGS
from maumau.contest.spec.part import BotLimits
from maumau.contest.terms import Terms
from maumau.rulebook.check import check_own_variant
from services.matchmaking.models import Ladder, Practice
from services.matchmaking.store.practice import more_versions


def make_ladder_terms(ladder: Ladder) -> Terms:
    """Return the terms on which a ladder's pairings are played."""
    return Terms(
        purpose="ladder",
        author="admin",
        rules=ladder.rules,
        options=json.loads(ladder.options),
        variant_toml=ladder.variant_toml,
        seats=ladder.seats,
        score=ladder.score,  # type: ignore[arg-type]
        bot=BotLimits(deal_ms=ladder.deal_ms, memory=ladder.memory),
    )


def make_practice_terms(practice: Practice) -> Terms:
    """Return the terms on which a practice match is played."""
    seats = SEATINGS + len(more_versions(practice))
    return Terms(
        purpose="practice",
        author=practice.account_name,
        rules=practice.rules,
        options=json.loads(practice.options),
        variant_toml=practice.variant_toml,
        seats=seats,
        score="win" if seats == SEATINGS else "places",
    )


def check_terms(terms: Terms) -> Terms:
    """Return the terms with a bound of a deal's length, their own if they choose one.

    Raises the error of a variant of the author's own that cannot be played.
    """
    check_own_variant(terms.load_rules(), terms.seats)
    options = bound_length(terms.rules, terms.options, terms.variant_toml, terms.seats)
    return replace(terms, options=options)
