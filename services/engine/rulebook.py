"""The variants as the service shows them, read once."""

from functools import cache, lru_cache

from maumau.game import Rules, variants
from maumau.rulebook import Page, page
from maumau.rulebook.named import KEPT, find_rules


@cache
def list_rules() -> list[Rules]:
    """All variants as they are without options, by name."""
    return [find_rules(name) for name in sorted(variants())]


@lru_cache(KEPT)
def describe(rules: Rules) -> Page:
    """A variant in words."""
    return page(rules)
