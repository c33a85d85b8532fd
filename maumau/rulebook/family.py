"""Families of variants: which game a variant is a kind of, and where it is played."""

from __future__ import annotations

from typing import Final, NamedTuple

from maumau.rulebook.meaning import LANGUAGES

Words = tuple[str, str]
"""A text in English and in German."""

GERMANY: Final[Words] = ("Germany", "Deutschland")
CZECHIA: Final[Words] = ("Czech Republic", "Tschechien")
RUSSIA: Final[Words] = ("Russia", "Russland")
SWITZERLAND: Final[Words] = ("Switzerland", "Schweiz")


class Family(NamedTuple):
    """A game with its kinds: names of variants, each with where it is played."""

    title: Words
    members: dict[str, Words]


FAMILIES: Final = (
    Family(
        ("Mau-Mau and its relatives", "Mau-Mau und Verwandte"),
        {
            "mau_mau": GERMANY,
            "shop_basic": GERMANY,
            "shop_extended": GERMANY,
            "app": ("an app", "eine App"),
            "neuner": ("Austria and Bavaria", "Österreich und Bayern"),
            "pesten": ("Netherlands", "Niederlande"),
            "puque": ("Portugal", "Portugal"),
            "haft_khabis": ("Iran", "Iran"),
        },
    ),
    Family(
        ("Swiss games", "Schweizer Spiele"),
        {"schweizer": SWITZERLAND, "schweizer_2016": SWITZERLAND, "tschau_sepp": SWITZERLAND},
    ),
    Family(
        ("Prší and Faraón", "Prší und Faraón"),
        {
            "prsi": CZECHIA,
            "prsi_quick": CZECHIA,
            "prsi_blind": CZECHIA,
            "faraon": ("Slovakia", "Slowakei"),
        },
    ),
    Family(
        ("Czech Fool and 101", "Tschechischer Narr und 101"),
        {"czech_fool": RUSSIA, "pharaoh_ru": RUSSIA, "crocodile": RUSSIA, "one_oh_one": RUSSIA},
    ),
)


def tell_words(words: Words, language: str = "en") -> str:
    """Return words in a language, `en` or `de`."""
    return words[LANGUAGES.index(language)]
