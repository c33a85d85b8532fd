"""Rules in words: of the known variants, and what a contest or a ladder is played by."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from maumau.errors import UnknownVariant
from maumau.game import load, load_any, variants
from maumau.rulebook import RulePage, build_page
from maumau.rulebook.family import FAMILIES, tell_words
from services.web.words import choose_written_language

if TYPE_CHECKING:
    from maumau.client.answer import RuleSet

KEPT = 64  # pages of rules that are not those of a known variant as it is
OWN_TEXT = re.compile(r"^variant_toml = .*\n?", re.MULTILINE)


def tell_variant(name: str, language: str = "en") -> RulePage:
    """Return a known variant in words: in the language, else in English.

    Raises:
        UnknownVariant: There is none of this name.
    """
    if name not in variants():
        raise UnknownVariant(f"There is no variant {name[:80]!r}.")
    return _describe_variant(name, choose_written_language(language))


@cache
def _describe_variant(name: str, language: str) -> RulePage:
    return build_page(load(name), language)


class Kin(NamedTuple):
    """A family of variants as a page lists it: its members with where they are played."""

    title: str
    members: list[tuple[RulePage, str]]


def tell_families(language: str) -> list[Kin]:
    """Return all known variants by families, the titles and countries in a language, else in English."""
    language = choose_written_language(language)
    return [
        Kin(
            tell_words(family.title, language),
            [
                (tell_variant(name, language), tell_words(country, language))
                for name, country in family.members.items()
            ],
        )
        for family in FAMILIES
    ]


def tell_rules(rules: RuleSet, language: str = "en") -> RulePage:
    """Return the rules of a contest or a ladder in words, with its options and its own variant.

    Raises:
        BadVariant: The variant's text cannot be read by this version.
    """
    return _describe_rules(
        rules.name, rules.variant_toml, rules.options_json, choose_written_language(language)
    )


@lru_cache(KEPT)
def _describe_rules(name: str, text: str, options_json: str, language: str) -> RulePage:
    options = msgspec.json.decode(options_json or "{}", type=dict[str, object])
    return build_page(load_any(name, text, **options), language)


def get_own_text(rules: RuleSet, what: str) -> str:
    """Return the file of the variant of its own that a contest or a ladder is played by.

    Args:
        rules: The rules.
        what: Which contest or ladder it is, for the refusal.

    Raises:
        UnknownVariant: It is played by a known variant, which has no file of its own.
    """
    if not rules.variant_toml:
        raise UnknownVariant(f"{what} is played by the variant {rules.name}, which has no file of its own.")
    return rules.variant_toml


def get_rules_title(rules: RuleSet, language: str = "en") -> str:
    """Return what the game is called: the title of its variant up to the colon."""
    return _get_title(rules.name, rules.variant_toml, choose_written_language(language))


def get_game_title(name: str, language: str = "en") -> str:
    """Return what one of the arena's own games is called."""
    return _get_title(name, "", choose_written_language(language))


@lru_cache(KEPT)
def _get_title(name: str, text: str, language: str) -> str:
    if not text:
        return tell_variant(name, language).title.partition(":")[0] if name in variants() else name
    try:
        title = tomllib.loads(text).get("title")
    except (ValueError, RecursionError):  # what cannot be read is called by its file
        return name
    return title.partition(":")[0][:80] if isinstance(title, str) and title.strip() else name


def hide_own_text(spec_toml: str) -> str:
    """Return a spec without the text of its own variant, which has a page and a file."""
    return OWN_TEXT.sub("", spec_toml)
