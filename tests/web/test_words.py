"""What decided a match is said in the reader's language."""

from __future__ import annotations

from typing import get_args

from maumau.contest.match import Rule
from services.web.render import rule_words
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
