"""The reason of a match's decision and the description of a ladder are in the reader's language."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from typing import get_args

import pytest

from maumau.client.answer import Ladder
from maumau.contest.format.match import Rule
from maumau.page import labels, states
from services.web import words
from services.web.delivery.render import ladder_facts, rule_words
from services.web.words import TONGUES, WORDS

RULES = {
    "sequential": ("sequential test", "sequentieller Test"),
    "cap: not separated": ("cap reached, not separated", "Höchstzahl erreicht, nicht getrennt"),
    "points": ("points", "Punkte"),
    "sudden death": ("sudden death", "Sudden Death"),
    "fixed": ("ahead after all sets", "Vorsprung nach allen Sätzen"),
    "tie": ("level after all sets", "Gleichstand nach allen Sätzen"),
    "first to": ("first to the number of won sets", "zuerst die Zahl gewonnener Sätze erreicht"),
    "seed": ("better seed", "besserer Setzplatz"),
    "withdrawn": ("withdrawal", "Rückzug"),
    "disqualified": ("disqualification", "Disqualifikation"),
}


def test_no_two_modules_have_words_for_one_key() -> None:
    """The catalogue is made of them, and the later one would win.

    The page words some labels of the replay for the player at the table.
    """
    names = [one.name for one in pkgutil.walk_packages(words.__path__, "services.web.words.")]
    modules = [states, *map(importlib.import_module, names)]
    catalogues = [module.WORDS for module in modules if getattr(module, "WORDS", WORDS) is not WORDS]
    keys = Counter(key for catalogue in catalogues for key in catalogue)
    assert [key for key, count in keys.items() if count > 1] == []
    assert set(WORDS) == {*keys, *labels.WORDS}


def test_every_rule_has_words_in_both_languages() -> None:
    known = {rule for part in get_args(Rule) for rule in get_args(part)}
    assert known - {""} == RULES.keys()
    said = {rule: (rule_words(TONGUES["en"], rule), rule_words(TONGUES["de"], rule)) for rule in RULES}
    assert said == RULES


@pytest.mark.parametrize(("number", "words"), [(0, "0 Sätze"), (1, "1 Satz"), (2000, "2\u202f000 Sätze")])
def test_things_are_counted(number: int, words: str) -> None:
    assert TONGUES["de"].count("sets", number) == words


@pytest.mark.parametrize(
    ("members", "sets", "english", "german"),
    [
        (1, 1, "1 bot, 1 deal set, epoch 3", "1 Bot, 1 Satz, Epoche 3"),
        (0, 1234, "0 bots, 1\u202f234 deal sets, epoch 3", "0 Bots, 1\u202f234 Sätze, Epoche 3"),
    ],
)
def test_one_bot_and_one_deal_set_are_in_the_singular(
    members: int, sets: int, english: str, german: str
) -> None:
    ladder = Ladder("prsi", None, "win", None, members, sets, 3, 2, "")
    assert [ladder_facts(TONGUES[language], ladder) for language in ("en", "de")] == [english, german]
