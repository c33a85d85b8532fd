"""Languages of the pages, and their texts: English from the code, the others from gettext catalogues.

In a catalogue a text's key is its context, English its id. Two keys that end in `_one` and `_n` are one entry
there, under the second key, with as many forms as the language has. docs/how-to/translate.md says how to add
words and languages.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Final

NAMES: Final = {"cs": "Čeština", "de": "Deutsch", "en": "English", "fr": "Français", "nl": "Nederlands"}
"""The languages by their own names, in the order in which a page offers them."""
LANGUAGES: Final = ("en", *(one for one in NAMES if one != "en"))
"""The languages, the one of the code first."""
FOLDER: Final = Path(__file__).with_name("locale")
DOMAIN: Final = "words"
SAMPLES: Final = {"one": 1, "few": 2, "n": 5}
"""A number for each plural form that scripts choose by `Intl.PluralRules`; `n` stands for all others."""


@cache
def open_catalogue(language: str) -> NullTranslations:
    """Return a language's catalogue; that of English is empty, for its texts are those of the code."""
    return NullTranslations() if language == "en" else translation(DOMAIN, FOLDER, [language])


def find_plurals(texts: Mapping[str, str]) -> list[str]:
    """Return the things that are counted: the beginnings of pairs of keys that end in `_one` and `_n`."""
    things = (key.removesuffix("_one") for key in texts if key.endswith("_one"))
    return [one for one in things if f"{one}_n" in texts]


def translate_text(key: str, english: str, language: str) -> str:
    """Return a text that is not counted in a language."""
    return open_catalogue(language).pgettext(key, english)


def translate_texts(texts: Mapping[str, str], language: str, of: str = "") -> dict[str, str]:
    """Return texts by key in a language, those with plural forms by `_one`, `_few` and `_n`.

    Args:
        texts: The English texts by key.
        language: One of `LANGUAGES`.
        of: The beginning of the contexts, if they are more than the keys.
    """
    found = {key: translate_text(of + key, text, language) for key, text in texts.items()}
    for things in find_plurals(texts):
        for form, number in SAMPLES.items():
            found[f"{things}_{form}"] = choose_plural(texts, things, number, language, of)
    return found


def choose_plural(texts: Mapping[str, str], things: str, number: int, language: str, of: str = "") -> str:
    """Return the text for this number of things, in a language."""
    key, one = f"{things}_n", texts[f"{things}_one"]
    return open_catalogue(language).npgettext(of + key, one, texts[key], number)
