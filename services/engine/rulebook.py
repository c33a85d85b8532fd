"""Descriptions of the variants, read once."""

from functools import cache, lru_cache

from maumau.game import Rules, variants
from maumau.rulebook import RulePage, build_page
from maumau.rulebook.named import KEPT, find_rules


@cache
def list_rules() -> list[Rules]:
    """Return all variants without options, by name."""
    return [find_rules(name) for name in sorted(variants())]


@lru_cache(KEPT)
def describe_variant(rules: Rules) -> RulePage:
    """Return the description of a variant."""
    return build_page(rules)
