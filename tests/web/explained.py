"""Terms that stand on a page without an explanation: what a check of all pages looks for."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from typing import Final

FORMS: Final = {
    "set": r"(deal )?sets?",
    "mirrored": r"mirrored",
    "seating": r"seatings?",
    "block": r"blocks?",
    "interval": r"(95 % )?intervals?",
    "elo": r"Elo",
    "epoch": r"epochs?",
    "commitment": r"commitments?",
    "nonce": r"nonces?",
}
"""The forms of a term in English, by its name in `TERMS`."""
EVERYDAY: Final = ("deal", "match", "ladder")
"""Terms that mean what everybody takes them for, and are explained in the help alone."""


class Reader(HTMLParser):
    """The words that a reader sees in the content of a page, and the terms that it explains.

    Commands, code and text that users have written do not count.
    """

    SKIPPED = ("script", "style", "pre", "code", "bdi", "svg", "header", "footer", "head")

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.explained = Counter[str]()
        self._skipped = 0

    def handle_starttag(self, tag, attrs) -> None:
        if tag in self.SKIPPED:
            self._skipped += 1
        target, place = dict(attrs).get("href") or "", dict(attrs).get("id") or ""
        if "#term-" in target:
            self.explained[target.rpartition("#term-")[2]] += 1
        if target == "/help#set":  # a section of the help
            self.explained["set"] += 1
        if place.startswith("term-"):  # the help itself
            self.explained[place.removeprefix("term-")] += 1

    def handle_endtag(self, tag) -> None:
        if tag in self.SKIPPED:
            self._skipped -= 1

    def handle_data(self, data) -> None:
        if not self._skipped:
            self.words.append(data)


def list_repeated(text: str) -> list[str]:
    """Return the terms that a page, but the help, explains more than once."""
    return [name for name, count in _read(text).explained.items() if count > 1]


def list_unexplained(text: str) -> list[str]:
    """Return the terms that stand on an English page and are explained nowhere on it, with what is around."""
    reader = _read(text)
    words = " ".join(" ".join(reader.words).split())
    found = []
    for name, form in FORMS.items():
        if name not in reader.explained and (at := re.search(rf"\b{form}\b", words, re.IGNORECASE)):
            found.append(f"{name}: …{words[max(0, at.start() - 40) : at.end() + 30]}…")
    return found


def _read(text: str) -> Reader:
    """Return the reader of a page."""
    reader = Reader()
    reader.feed(text)
    return reader
