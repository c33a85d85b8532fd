"""What decided a match, and what a ladder is, is said in the reader's language."""

from __future__ import annotations

from typing import get_args

import pytest

from maumau.answer import Ladder
from maumau.contest.match import Rule
from services.web.render import ladder_facts, rule_words
from services.web.words import TONGUES

RULES = {
    "sequential": ("sequential test", "sequentieller Test"),
    "cap: not separated": ("cap reached, not separated", "Höchstzahl erreicht, nicht getrennt"),
    "points": ("points", "Punkte"),
    "sudden death": ("sudden death", "Sudden Death"),
    "seed": ("better seed", "besserer Setzplatz"),
    "withdrawn": ("withdrawal", "Rückzug"),
    "disqualified": ("disqualification", "Disqualifikation"),
}


def test_every_rule_has_words_in_both_languages() -> None:
    known = {rule for part in get_args(Rule) for rule in get_args(part)}
    assert known - {""} == RULES.keys()
    said = {rule: (rule_words(TONGUES["en"], rule), rule_words(TONGUES["de"], rule)) for rule in RULES}
    assert said == RULES


@pytest.mark.parametrize(("number", "words"), [(0, "0 Sätze"), (1, "1 Satz"), (2000, "2\u2009000 Sätze")])
def test_things_are_counted(number: int, words: str) -> None:
    assert TONGUES["de"].count("sets", number) == words


@pytest.mark.parametrize(
    ("members", "sets", "english", "german"),
    [
        (1, 1, "1 bot, 1 deal set, epoch 3", "1 Bot, 1 Satz, Epoche 3"),
        (0, 1234, "0 bots, 1\u2009234 deal sets, epoch 3", "0 Bots, 1\u2009234 Sätze, Epoche 3"),
    ],
)
def test_one_bot_and_one_deal_set_are_in_the_singular(
    members: int, sets: int, english: str, german: str
) -> None:
    ladder = Ladder("prsi", None, "win", None, members, sets, 3, 2, "")
    assert [ladder_facts(TONGUES[language], ladder) for language in ("en", "de")] == [english, german]
