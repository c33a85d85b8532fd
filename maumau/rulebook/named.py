"""The rules of a request: a variant of the arena and its options as JSON."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from maumau.errors import BadDeal, BadOption, BadRequest
from maumau.game import Rules, load

OPTIONS = 4096  # characters of a variant's options as JSON
KEPT = 256  # rules with options that are remembered


def find_rules(name: str, options_json: str = "", known_hash: str = "") -> Rules:
    """Return the rules of a variant with options as JSON; raise UnknownVariant, BadOption, or BadRequest."""
    if len(options_json) > OPTIONS:
        raise BadOption(
            f"options_json has {len(options_json):,} characters; {OPTIONS:,} are the most.",
            field="options_json",
        )
    rules = _load_rules(name, options_json)
    if known_hash and known_hash != rules.hash:
        raise BadRequest(f"The rules {name} with these options have the hash {rules.hash} here.")
    return rules


@lru_cache(KEPT)
def _load_rules(name: str, options_json: str) -> Rules:
    try:
        options = msgspec.json.decode(options_json or "{}", type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadOption(f"options_json is not a JSON object: {error}", field="options_json") from None
    return load(name, **options)


def check_seats(rules: Rules, seats: int) -> None:
    """Raise BadDeal if the variant is not played by this number of players."""
    fewest, most = rules.seats
    if not fewest <= seats <= most:
        raise BadDeal(f"{rules.name} is played by {fewest} to {most}, not by {seats}.", field="seats")
