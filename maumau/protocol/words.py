"""Sanitises untrusted text (programs, build steps, authors) before it is stored or shown."""

from __future__ import annotations

INSTEAD = "\ufffd"
LINE = 2000  # characters of a sentence
KEPT = frozenset("\n\t")


def clean_text(text: str, most: int | None = None) -> str:
    """Return text of several lines with control and other unprintable characters replaced.

    Text longer than `most` characters is cut off and marked.
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in KEPT else INSTEAD for c in text)
    return text if most is None or len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def clean_line(text: str, most: int = LINE) -> str:
    """Return sanitised text in a single line."""
    return clean_text(" ".join(text.splitlines()), most).replace("\t", " ")
