"""The announced length of a body."""

import re
from typing import Final

from starlette.datastructures import Headers

LENGTH: Final = re.compile(r"[0-9]{1,18}")
"""The form of a length. Python would accept other digits too, and fail on thousands of them."""


def read_length(headers: Headers) -> int:
    """Return the bytes that a request announces; 0 if it announces none, or no number."""
    found = LENGTH.fullmatch(headers.get("content-length", "").strip())
    return int(found[0]) if found else 0
