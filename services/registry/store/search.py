"""Conditions of searches by a part of a name, which PostgreSQL finds by trigrams (migration 0024)."""

import re
from typing import Any, Final

from sqlalchemy import ColumnElement, true

from maumau.errors import BadRequest

PART: Final = re.compile(r"[a-z0-9_-]{0,40}")


def contains(column: Any, part: str) -> ColumnElement[bool]:
    """Return the condition that a name contains a part; raise BadRequest for one that no name has."""
    if not PART.fullmatch(part):
        words = f"{part[:80]!r} is in no name: names have a-z, 0-9, - and _, at most 40 of them."
        raise BadRequest(words, field="contains")
    found: ColumnElement[bool] = column.contains(part, autoescape=True)
    return found if part else true()
