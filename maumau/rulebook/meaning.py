"""Meanings of options and sources of their defaults, in words a reader understands."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

LANGUAGES: Final = ("en", "de")
TEXTS: Final[dict[str, tuple[str, str]]] = {
    "000": ("an encyclopedia", "eine Enzyklopädie"),
    "001": ("the Swiss rules", "die Schweizer Regeln"),
    "002": ("an app's help", "die Hilfe einer App"),
    "003": ("a shop's page", "die Seite eines Händlers"),
}
"""The sources, by the numbers of docs/reference/sources.md."""
OWN_READING: Final = ("our own reading", "unsere eigene Lesart")
ELSEWHERE: Final = ("other texts", "andere Texte")
TAKEN: Final = ("rules taken from {}", "was aus {} stammt")
"""The words before the source of the variant that another extends."""
REMARKS: Final = {
    "the numbers are from elsewhere": "die Zahlen stammen aus anderen Texten",
    "the rest is from elsewhere": "der Rest stammt aus anderen Texten",
    "its later edition, from elsewhere": "die spätere Ausgabe, aus anderen Texten",
}
"""Remarks of variants about their sources, and the German for them. Headings stay in a source's language."""
QUOTES: Final = ("“{}”", "„{}“")
_PART: Final = re.compile(
    r'"([^"]*)"|(?P<number>\b00[0-3])[ab]?\b|(?P<own>(?P<of>(?<=\w) )?\(R\))(?: [GH]\d+)?'
    r"|\bext\b(?: X\d+)*|(?P<row> \(L\d+(?:-L\d+)?(?:, L\d+)*\))"
)


@cache
def read_meanings() -> dict[str, tuple[str, str]]:
    """Return what each option of the known variants decides, in English and German."""
    text = (Path(__file__).parent / "meaning.toml").read_text(encoding="utf-8")
    return {name: (english, german) for name, (english, german) in tomllib.loads(text).items()}


def tell_meaning(name: str, says: str = "", language: str = "en") -> str:
    """Return in one sentence what an option decides.

    Args:
        name: The option.
        says: What its file says, which counts for an option that no known variant has.
        language: `en` or `de`.
    """
    known = read_meanings().get(name)
    if known:
        return known[LANGUAGES.index(language)]
    return f"{says[0].upper()}{says[1:].rstrip('.')}." if says else ""


def tell_known(known: str, language: str = "en") -> str:
    """Return what an option may be, as `Option.known` says it, in a language."""
    if language == "en":
        return known
    told = re.sub(r"a number from (\S+) to (\S+)", r"eine Zahl von \1 bis \2", known)
    told = re.sub(r"a list of (\d+) numbers from 1 on", r"eine Liste von \1 Zahlen ab 1", told)
    told = told.replace("a rank or card", "ein Wert oder eine Karte").replace("a card", "eine Karte")
    return told.replace(" or ", " oder ")


def tell_source(source: str, language: str = "en") -> str:
    """Return where a default is from with the numbers of sources replaced by what they are.

    `000 "one card"` is `an encyclopedia: “one card”`, `(R) G7, ext X7` is `our own reading, other texts`: the
    rows of docs/reference/readings.md are for those who have it.
    """
    column = LANGUAGES.index(language)

    def name_source(found: re.Match[str]) -> str:
        if found[1] is not None:
            return QUOTES[column].format(found[1])
        if found["own"]:
            after = found.string[found.end() :]
            return (": " if found["of"] else "") + OWN_READING[column] + _choose_mark(after)
        if found["row"]:
            return ""
        if found["number"]:
            colon = ":" if found.string[found.end() :].startswith(' "') else ""
            return TEXTS[found["number"]][column] + colon
        return ELSEWHERE[column]

    told = _PART.sub(name_source, source)
    for english, german in REMARKS.items() if language == "de" else ():
        told = told.replace(english, german)
    return told


def _choose_mark(after: str) -> str:
    """Return what stands before the words after our own reading: before a source a semicolon."""
    if after.startswith(" 0"):
        return ";"
    return ":" if after.startswith(" ") else ""
