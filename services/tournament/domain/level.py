"""The visibility of a tournament's results before it is decided, by its spec. Pure."""

import tomllib
from functools import lru_cache

PUBLIC, PARTICIPANTS, END = "public", "participants", "end"


@lru_cache(maxsize=1024)
def release_of(spec_toml: str) -> str:
    """Return the visibility that a spec names, even if today's checks refuse the spec."""
    return str(tomllib.loads(spec_toml).get("release", PUBLIC))


def read_group(spec_toml: str) -> str:
    """Return the group that a spec names; "" if it names none or is not TOML, which other checks refuse."""
    try:
        found = tomllib.loads(spec_toml).get("group", "")
    except (ValueError, RecursionError):
        return ""
    return found if isinstance(found, str) else ""
