"""The features that variants can have, in the order in which those of a variant are asked."""

from __future__ import annotations

from typing import Final

from maumau.game.features.blind import Claims
from maumau.game.features.call import PlainCalls
from maumau.game.features.chain import LastSeven
from maumau.game.features.kings import KingThrow
from maumau.game.features.queens import QueenRound
from maumau.game.features.race import EdgeRace
from maumau.game.features.together import CardSets
from maumau.game.model.feature import Feature
from maumau.game.swiss.calls import Gestures, SwissCourt
from maumau.game.swiss.foul import Fouls

FEATURES: Final[tuple[Feature, ...]] = (
    QueenRound(),
    Claims(),
    CardSets(),
    LastSeven(),
    KingThrow(),
    EdgeRace(),
    PlainCalls(),
    SwissCourt(),
    Fouls(),
    Gestures(),
)
"""Every variant has one of the two kinds of calls; the last two belong to the Swiss court."""

OWN_STAGES: Final = frozenset(name for feature in FEATURES for name in feature.stages)
"""The names of stages that only a variant with their feature has."""
