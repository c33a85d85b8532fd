"""Hostile text made fit for a feed, and ids that stay. Pure."""

import unicodedata
import uuid
from datetime import UTC, datetime
from typing import Final

FORBIDDEN: Final = {"Cc", "Cf", "Cs", "Co", "Cn"}
"""Unicode categories that XML forbids or that change how the text around them is read."""
SPACE: Final = uuid.uuid5(uuid.NAMESPACE_DNS, "feeds.maumau-arena")
BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The moment of a feed in which nothing has happened yet."""


def clean_text(text: str) -> str:
    """Return a text in one line without control and format characters."""
    return "".join(c for c in " ".join(text.split("\n")) if unicodedata.category(c) not in FORBIDDEN)


def make_uuid(*parts: str) -> str:
    """Return a UUID that follows from these parts alone, so that it is never another one."""
    return str(uuid.uuid5(SPACE, "\n".join(part.encode(errors="replace").decode() for part in parts)))
