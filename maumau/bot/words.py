"""The one door for words of strangers: programs, build steps, authors; before they are kept or shown."""

from __future__ import annotations

INSTEAD = "\ufffd"
LINE = 2000  # characters of a sentence
KEPT = frozenset("\n\t")


def clean_text(text: str, most: int | None = None) -> str:
    """Text of several lines: what would steer a terminal, turn the direction of writing, or cannot be stored
    is replaced; what is longer than `most` characters is cut off, and says so.
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in KEPT else INSTEAD for c in text)
    return text if most is None or len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def clean_line(text: str, most: int = LINE) -> str:
    """The same for a single line."""
    return clean_text(" ".join(text.splitlines()), most).replace("\t", " ")
