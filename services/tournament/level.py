"""How far the results of a tournament are public before it is over, by its spec. Pure."""

import tomllib
from functools import lru_cache

PUBLIC, PARTICIPANTS, END = "public", "participants", "end"


@lru_cache(maxsize=1024)
def release_of(spec_toml: str) -> str:
    """The level that a spec names; also of one that today's checks refuse."""
    return str(tomllib.loads(spec_toml).get("release", PUBLIC))
