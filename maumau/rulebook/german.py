"""Rules in German: each sentence that the describer makes, from a catalogue of English patterns.

A line is read from its beginning: the longest pattern of german.toml that fits is taken, then what parts it
from the next one. In a pattern `{cards}` stands for cards, `{count}` for so many things, `{n}` for a number,
`{rank}` for a rank, `{list}` for a list of cards with numbers, `{single}` for one certain card without its
article, `{gone}` for ranks and cards that a pack does not have; the German side says in which case the
cards stand: `{cards:nom}`, `{cards:dat}` or `{cards:acc}`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from maumau.rulebook.name import NUMBER, RANK, SUIT, list_words

_GERMAN_RANKS: Final = (
    "Zwei",
    "Drei",
    "Vier",
    "Fünf",
    "Sechs",
    "Sieben",
    "Acht",
    "Neun",
    "Zehn",
    "Bube",
    "Dame",
    "König",
    "Ass",
)
RANKS: Final = dict(zip(RANK.values(), _GERMAN_RANKS, strict=True))
PLURALS: Final = {
    "twos": "Zweien", "threes": "Dreien", "fours": "Vieren", "fives": "Fünfen", "sixes": "Sechsen",
    "sevens": "Siebenen", "eights": "Achten", "nines": "Neunen", "tens": "Zehnen", "jacks": "Buben",
    "queens": "Damen", "kings": "Könige", "aces": "Asse", "jokers": "Joker",
}  # fmt: skip
SUITS: Final = dict(zip(SUIT.values(), ("Kreuz", "Pik", "Herz", "Karo"), strict=True))
NUMBERS: Final = dict(
    zip(
        NUMBER,
        ("kein", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"),
        strict=True,
    )
)
PRONOUNS: Final = {"no": "keiner", "one": "einer"}  # of points
ARTICLES: Final = {  # by gender and case: of one such card, and of a certain one
    "f": {"nom": ("eine", "die"), "acc": ("eine", "die"), "dat": ("einer", "der")},
    "m": {"nom": ("ein", "der"), "acc": ("einen", "den"), "dat": ("einem", "dem")},
    "n": {"nom": ("ein", "das"), "acc": ("ein", "das"), "dat": ("einem", "dem")},
}
GENDERS: Final = {"Bube": "m", "König": "m", "Joker": "m", "Ass": "n"}  # the others are feminine
THINGS: Final = {
    "card": ("Karte", "Karten", "f"), "pack": ("Kartenspiel", "Kartenspiele", "n"),
    "joker": ("Joker", "Joker", "m"), "king": ("König", "Königen", "m"), "deal": ("Spiel", "Spiele", "n"),
    "time": ("Mal", "Mal", "n"), "point": ("Punkt", "Punkte", "m"), "life": ("Leben", "Leben", "n"),
    "lives": ("Leben", "Leben", "n"),
}  # fmt: skip
WORDS: Final = {
    "counts": "zählt", "and": "und", "or": "oder", "with": "mit", "for the": "für den", "joker": "Joker",
    "becomes": "wird zu", "a total of exactly": "ein Stand von genau",
    "for up to": "für bis zu", "first": "Ersten", "second": "Zweiten", "third": "Dritten",
    "fourth": "Vierten",
    "fifth": "Fünften", "sixth": "Sechsten", "seventh": "Siebten", "eighth": "Achten", "ninth": "Neunten",
    "tenth": "Zehnten",
}  # fmt: skip
VIOLATIONS: Final = {
    "the special word not said": "die besondere Ansage vergessen",
    "the word not said": "die Ansage vergessen",
    "the special word said without need": "unnötig besonders angesagt",
    "the word said without need": "unnötig angesagt",
    "the end of a queen round not announced": "das Ende einer Damenrunde nicht angesagt",
    "a gesture of apology left out": "eine Geste der Versöhnung ausgelassen",
    "a pretended draw left out": "nicht so getan, als zöge man",
    "a card laid that does not fit, and cards drawn in excess": (
        "eine unpassende Karte gelegt und zu viele Karten gezogen"
    ),
}

_RANK: Final = "|".join(RANKS)
_SINGLE: Final = rf"(?:{_RANK}) of (?:{'|'.join(SUITS)})"
_NOUN: Final = rf"any card|an? (?:{_RANK}|joker)|the {_SINGLE}"
_GONE: Final = rf"(?:{'|'.join(PLURALS)}|{_SINGLE})"
_DIGITS: Final = r"\d+(?:,\d{3})*"
_NUMBER: Final = rf"(?:{'|'.join(NUMBERS)}|{_DIGITS})"
_SEATS: Final = re.compile(rf"\bwith ({_NUMBER}(?:(?:, | or ){_NUMBER})*) players\b")
_PLACED: Final = re.compile(rf"\b({'|'.join(NUMBERS)}) (?=for the )")
_COUNT: Final = rf"{_NUMBER} (?:{'|'.join(THINGS)})s?"
SLOTS: Final = {
    "cards": rf"(?:{_NOUN})(?:, (?:{_NOUN}))*(?: (?:or|and) (?:{_NOUN}))?",
    "count": _COUNT,
    "n": rf"-?{_DIGITS}",
    "rank": _RANK,
    "list": r"[^.;]+?",
    "single": _SINGLE,
    "gone": rf"{_GONE}(?:, {_GONE})*(?: or {_GONE})?",
    "violations": r"[^.]+?",
    "rule": r"[^`]+",
}
_SLOT: Final = re.compile(r"\{(\w+)(?::(\w+))?\}")
_BETWEEN: Final = re.compile(r"; | |\.$|\. ")
_ONLY: Final = re.compile(r"With (?:fewer than (\d+)|(\d+) or more) players: (.*)", re.DOTALL)


@cache
def _read_file() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "german.toml").read_text(encoding="utf-8"))


@cache
def read_catalogue() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the patterns with their German sides, the longest first."""
    pairs = [pair for part in _read_file().values() if isinstance(part, list) for pair in part]
    return tuple(
        (_compile_pattern(english), german) for english, german in sorted(pairs, key=_pattern_length)
    )


def _pattern_length(pair: tuple[str, str]) -> int:
    return -len(pair[0])


def get_title(name: str, title: str) -> str:
    """Return the German title of a known variant, else the title as it is."""
    found: str = _read_file()["titles"].get(name, title)
    return found


def get_heading(heading: str) -> str:
    """Return the German heading of a section."""
    found: str = _read_file()["headings"][heading]
    return found


def _compile_pattern(english: str) -> re.Pattern[str]:
    parts = _SLOT.split(english)  # plain, slot, its case, plain, …
    return re.compile(
        "".join(
            re.escape(part) if at % 3 == 0 else f"({SLOTS[part]})"
            for at, part in enumerate(parts)
            if at % 3 != 2
        )
    )


@lru_cache(4096)
def translate_line(text: str, *, about_cards: bool = False) -> str:
    """Return a line of the rules in German; what no pattern knows stays in English.

    Args:
        text: The line.
        about_cards: Whether it begins with the cards that it is about.
    """
    when, rest = _split_condition(text)
    subject = ""
    if about_cards:
        subject, _, rest = rest.partition(": ")
        subject = f"{translate_subject(subject)}: "
    told = _translate_whole(rest) or _translate_whole(rest[:1].upper() + rest[1:])
    return f"{when}{subject}{told}" if told else text


def _split_condition(text: str) -> tuple[str, str]:
    """Return the numbers of players that a line is for, in German, and the line itself."""
    only = _ONLY.fullmatch(text)
    if not only:
        return "", text
    return (f"Mit weniger als {only[1]} Spielern: " if only[1] else f"Ab {only[2]} Spielern: "), only[3]


def translate_subject(text: str) -> str:
    """Return the cards that a line is about in German: `Sevens and the king of spades`."""
    words = text[0].lower() + text[1:]
    suits = "|".join(SUITS)
    suited = rf"the ({'|'.join(PLURALS)}) of ((?:{suits})(?:, (?:{suits}))*(?: and (?:{suits}))?)"
    words = re.sub(suited, _name_suited, words)
    words = re.sub(_NOUN, lambda found: _inflect_card(found[0], "nom"), words)
    words = re.sub(rf"\b({'|'.join(PLURALS)})\b", lambda found: PLURALS[found[0]], words).replace(
        " and ", " und "
    )
    return words[0].upper() + words[1:]


def _name_suited(found: re.Match[str]) -> str:
    suits = re.sub("|".join(SUITS), lambda suit: SUITS[suit[0]], found[2])
    return f"die {PLURALS[found[1]]} in {suits}".replace(" and ", " und ")


def _translate_whole(text: str) -> str:
    """Translate the whole text, pattern by pattern; return "" if a part of it matches none."""
    told, at = [], 0
    while at < len(text):
        for pattern, german in read_catalogue():
            if found := pattern.match(text, at):
                told.append(_fill_slots(german, found))
                at = found.end()
                break
        else:
            return ""
        if between := _BETWEEN.match(text, at):
            told.append(between[0])
            at = between.end()
    return "".join(told)


def _fill_slots(german: str, found: re.Match[str]) -> str:
    values = list(found.groups())

    def put_slot(slot: re.Match[str]) -> str:
        return _translate_part(slot[1], values.pop(0), slot[2] or "acc")

    return _SLOT.sub(put_slot, german)


def _translate_part(kind: str, text: str, case: str) -> str:
    if kind == "cards":
        told = re.sub(_NOUN, lambda noun: _inflect_card(noun[0], case), text)
        return re.sub(r"\b(or|and)\b", lambda word: WORDS[word[0]], told)
    if kind == "count":
        return _translate_count(text, case)
    return SAID[kind](text) if kind in SAID else text


def _name_violations(text: str) -> str:
    return re.sub("|".join(VIOLATIONS), lambda word: VIOLATIONS[word[0]], text).replace(" and ", " und ")


def _name_gone(text: str) -> str:
    """Return the cards that a pack lacks; ranks next to each other share their article."""
    told = [
        f"{'' if before in PLURALS else 'die '}{PLURALS[item]}"
        if item in PLURALS
        else _inflect_card(f"the {item}", "nom")
        for before, item in pairwise(["", *re.split(", | or ", text)])
    ]
    return list_words(told, "und")


def _translate_list(text: str) -> str:
    """Translate a list of cards with their points, or of numbers with the things counted."""
    told = _SEATS.sub(_name_seats, text)  # numbers first: they are ranks elsewhere
    told = _PLACED.sub(lambda worth: f"{PRONOUNS.get(worth[1], NUMBERS[worth[1]])} ", told)
    told = re.sub(_NOUN, lambda noun: _inflect_card(noun[0], "dat" if "with" in text else "nom"), told)
    told = re.sub(_COUNT, lambda some: _translate_count(some[0], "acc"), told)
    told = re.sub(
        rf"\b({'|'.join(sorted(WORDS, key=len, reverse=True))})\b", lambda word: WORDS[word[0]], told
    )
    told = re.sub(rf"\b({'|'.join(PLURALS)})\b", lambda rank: PLURALS[rank[0]], told)
    return re.sub(rf"\b({_RANK})\b", lambda rank: RANKS[rank[0]], told)


def _name_seats(found: re.Match[str]) -> str:
    seats = re.sub(r"\w+", lambda word: NUMBERS.get(word[0], WORDS.get(word[0], word[0])), found[1])
    return f"bei {seats} Spielern"


def _translate_count(text: str, case: str) -> str:
    number, _, thing = text.partition(" ")
    one, many, gender = THINGS[thing if thing in THINGS else thing.removesuffix("s")]
    if number not in ("one", "1"):
        return f"{NUMBERS.get(number, number)} {many}" if number != "no" else f"keine {many}"
    return f"{ARTICLES[gender][case][0]} {one}"


def _inflect_card(noun: str, case: str) -> str:
    """Decline a card: `a jack` is `einen Buben`, `the king of spades` is `den Pikkönig`."""
    if noun == "any card":
        return {"nom": "jede Karte", "acc": "jede Karte", "dat": "jeder Karte"}[case]
    certain = re.fullmatch(r"the (\w+) of (\w+)", noun)
    word = RANKS[certain[1]] if certain else RANKS.get(noun.split()[1], "Joker")
    article = ARTICLES[GENDERS.get(word, "f")][case][bool(certain)]
    ending = "n" if word == "Bube" and case != "nom" else ""
    return f"{article} {SUITS[certain[2]] + word.lower() if certain else word}{ending}"


SAID: Final[dict[str, Callable[[str], str]]] = {
    "rank": lambda text: RANKS[text],
    "violations": _name_violations,
    "single": lambda text: _inflect_card(f"the {text}", "nom"),
    "gone": _name_gone,
    "list": _translate_list,
}
"""Return the German text of a slot that has one case."""
