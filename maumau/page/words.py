"""Events of a deal in words, with cards as signs and hands in order. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import CARD_PATTERN, RANKS
from maumau.page.catalogue import translate_texts

SUITS: Final = dict(zip("CSHD", "♣♠♥♦", strict=True))
LAID: Final = re.compile(
    rf"(?P<cards>{CARD_PATTERN}(?:\+{CARD_PATTERN})*)(?:~(?P<claim>{CARD_PATTERN}))?(?:>(?P<wish>[CSHD]))?"
    r"(?:@(?P<target>[A-J]|-))?(?:/(?P<said>start|end|sorry))?(?P<call>!{0,2})"
)
DREW: Final = re.compile(
    rf"(?P<word>draw|take)(?:/(?P<said>willi))?(?P<call>!{{0,2}})(?: (?P<cards>{CARD_PATTERN}))?"
)
ACCUSED: Final = re.compile(r"accuse@(?P<target>[A-J]):(?P<kind>[a-z_]+)")
PLAIN: Final = frozenset(
    (
        "skip",
        "skipped",
        "out",
        "pass",
        "keep",
        "accept",
        "doubt",
        "take",
        "on",
        "decline",
        "appeal",
        "guilty",
        "innocent",
        "hold",
        "count",
    )
)
BLIND: Final = re.compile(rf"~(?P<claim>{CARD_PATTERN})(?:>(?P<wish>[CSHD]))?(?P<call>!{{0,2}})")

WORDS: Final[dict[str, str]] = {
    "lays": "{who} lays {cards}",
    "claims": "{who} lays a card face down and claims {claim}",
    "hides": "{who} lays {cards} face down and claims {claim}",
    "wishes": " and wishes for {suit}",
    "wish": "{who} wishes for {suit}",
    "hits": " and hits {whom}",
    "hits_none": " and hits nobody",
    "start": " and begins a queen round",
    "end": " and ends the queen round",
    "sorry": " and apologises",
    "willi": ", with an astonished face",
    "mau": ", “Mau!”",
    "mau_mau": ", “Mau-Mau!”",
    "draws": "{who} draws a card",
    "draws_card": "{who} draws {cards}",
    "take": "{who} has no answer",
    "on": "{who} draws on",
    "decline": "{who} lays no further card",
    "hold": "{who} does nothing",
    "accuses": "{who} accuses {whom}: {kind}",
    "appeal": "{who} calls the plenum",
    "guilty": "{who} votes guilty",
    "innocent": "{who} votes innocent",
    "count": "{who} counts to five",
    "react": "{who} reacts in {n} (0 to 999)",
    "adds": "{who} adds a rule: {rule}",
    "adds_none": "{who} adds no rule",
    "late": "{who} makes a late call",
    "error": "the dealer misdeals {cards} to {who}",
    "error_hidden": "the dealer misdeals a card to {who}",
    "takes": "{who} takes {n}",
    "takes_cards": "{who} takes {n}: {cards}",
    "skipped": "{who} misses a turn",
    "skip": "{who} accepts a missed turn",
    "out": "{who} is out",
    "pass": "{who} passes",
    "keep": "{who} keeps the card",
    "keeps": "{who} keeps {cards} of the cut",
    "keeps_none": "{who} keeps none of the cut",
    "accept": "{who} believes it",
    "doubt": "{who} doubts it",
    "shows": "{who} shows {cards}",
    "swaps": "{who} swaps hands with {other}",
    "back": "{who} takes {cards} back",
    "side": "{who} gets a penalty card",
    "unside": "{who} picks up a penalty card",
    "in": "{who} throws {cards} in",
    "up": "{cards} is turned up",
    "cut": "the cut shows {cards}",
    "refused": "{cards} may not be turned up",
    "shuffle": "the pile becomes the stock: {n} cards",
    "forfeit": "{who} loses the deal by a fault ({kind}); from here on the referee plays these cards",
    "stall": "{who} plays no more: too many deals before ended without a winner; from here on the referee plays",
    "time": "{who} has run out of time; from here on the arena plays these cards",
    "left": "{who} leaves the table; from here on the arena plays these cards",
    "deals": "{who} gets {cards}",
}
KINDS: Final[dict[str, str]] = {
    "mau": "no “Mau!”",
    "mau_mau": "no “Mau-Mau!”",
    "false_mau": "false “Mau!”",
    "false_mau_mau": "false “Mau-Mau!”",
    "queen_end": "queen round not ended",
    "sorry": "no apology",
    "willi": "no astonished face",
    "card": "a wrong card, or cards drawn in excess",
}
"""Violations of which a player can be accused."""
NAMELESS: Final = "·"
COLOURS: Final = "CDSH"  # black and red in turn, so that neighbours differ


def show_cards(text: str) -> str:
    """Return notation with signs for its cards and suits: `TC KD` is `10♣ K♦`."""
    return re.sub(rf"(?<![A-Za-z0-9])({CARD_PATTERN})(?![A-Za-z0-9])", lambda found: _sign(found[1]), text)


def sort_cards(cards: Iterable[str]) -> list[str]:
    """Return cards in notation as a hand shows them: by suit, then by rank; jokers last."""
    return sorted(cards, key=_rate_card)


def _rate_card(card: str) -> tuple[int, int]:
    if card == "XX":
        return len(COLOURS), 0
    return COLOURS.index(card[1]), RANKS.index(card[0])


@cache
def _list_words(language: str) -> dict[str, str]:
    return translate_texts(WORDS, language, "deal.")


@cache
def _list_kinds(language: str) -> dict[str, str]:
    return translate_texts(KINDS, language, "kind.")


def name_violation(kind: str, language: str = "en") -> str:
    """Return what a player is accused of, in a language; an unknown kind as it is."""
    return _list_kinds(language).get(kind, kind)


def tell_event(event: str, names: Sequence[str], language: str = "en") -> str:
    """Return an event of a deal as one sentence, or unchanged if it has no words; names are by seat."""
    words = _list_words(language)
    head, _, rest = event.partition(" ")
    who = names[SEATS.index(head)] if len(head) == 1 and head in SEATS[: len(names)] else ""
    key, values = _parsed_seat(rest, names) if who else _parsed_table(head, rest, names)
    if not key:
        return f"{who}: {show_cards(rest)}" if who else show_cards(event)
    if target := values.get("target"):
        values["whom"] = names[SEATS.index(target)] if target in SEATS[: len(names)] else target
    if kind := values.get("violation"):
        values["kind"] = name_violation(kind, language)
    return words[key].format(**{"who": who, **values}) + _tell_more(values, words)


def tell_choice(action: str, names: Sequence[str], language: str = "en") -> str:
    """Return what a seat does by an action, without its name: `lays K♥, “Mau!”`. names are by seat."""
    return tell_event(f"{SEATS[0]} {action}", [NAMELESS, *names[1:]], language).removeprefix(f"{NAMELESS} ")


def _tell_more(values: dict[str, str], words: Mapping[str, str]) -> str:
    """Return what is said with a card after it was laid: a wish, a target, a declaration, a call."""
    told = ""
    if suit := values.get("wished"):
        told += words["wishes"].format(suit=SUITS[suit])
    if aimed := values.get("aimed"):
        told += words["hits_none" if aimed == "-" else "hits"].format(whom=values.get("whom", ""))
    if said := values.get("said"):
        told += words[said]
    if call := values.get("call"):
        told += words["mau" if call == "!" else "mau_mau"]
    return told


def _sign(card: str) -> str:
    if card == "XX":
        return "★"
    return ("10" if card[0] == "T" else card[0]) + SUITS[card[1]]


def _parsed_seat(rest: str, names: Sequence[str]) -> tuple[str, dict[str, str]]:
    word, _, other = rest.partition(" ")
    if word == "swaps" and len(other) == 1 and other in SEATS[: len(names)]:
        return word, {"other": names[SEATS.index(other)]}
    return _parsed(rest)


def _parsed(rest: str) -> tuple[str, dict[str, str]]:  # noqa: PLR0911 - a line for each kind
    """Return the key of the words for a seat's event, and their values; "" if there are none."""
    first, _, more = rest.partition(" ")
    cards = {"cards": show_cards(more)}
    if rest in PLAIN:
        return rest, {}
    if rest.startswith("keep:"):
        kept = rest.removeprefix("keep:")
        return ("keeps_none", {}) if kept == "-" else ("keeps", {"cards": show_cards(kept.replace("+", " "))})
    if rest.startswith("wish:") and rest[5:] in SUITS:
        return "wish", {"suit": SUITS[rest[5:]]}
    if drew := DREW.fullmatch(rest):
        values = {
            "cards": show_cards(drew["cards"] or ""),
            "call": drew["call"],
            "said": drew["said"] or "",
        }
        return "take" if drew["word"] == "take" else "draws_card" if drew["cards"] else "draws", values
    if re.fullmatch(r"\+\d+", first):
        return ("takes_cards" if more else "takes"), {"n": first[1:], **cards}
    if first == "side" and more:
        return ("side" if more.startswith("+") else "unside"), {}
    if first in {"shows", "back"} and more:
        return first, cards
    if more == "in":
        return "in", {"cards": show_cards(first)}
    return _parsed_said(rest) or _parsed_laid(rest)


def _parsed_said(rest: str) -> tuple[str, dict[str, str]] | None:
    """Return what a seat said without laying a card; None if it is something else."""
    if found := ACCUSED.fullmatch(rest):
        return "accuses", {"target": found["target"], "violation": found["kind"]}
    if rest in {"!", "!!"}:
        return "late", {"call": rest}
    word, _, detail = rest.partition(":")
    if word == "react" and detail.isdecimal():
        return "react", {"n": detail}
    if word == "rule" and detail:
        return ("adds_none", {}) if detail == "-" else ("adds", {"rule": detail})
    return None


def _parsed_laid(rest: str) -> tuple[str, dict[str, str]]:
    if found := BLIND.fullmatch(rest):
        return "claims", {"claim": _sign(found["claim"]), "wished": found["wish"], "call": found["call"]}
    if not (found := LAID.fullmatch(rest.removeprefix("rescue:"))):
        return "", {}
    cards = " ".join(_sign(card) for card in found["cards"].split("+"))
    aimed = found["target"] or ""
    values = {
        "cards": cards,
        "wished": found["wish"],
        "call": found["call"],
        "said": found["said"] or "",
        "aimed": aimed,
        "target": aimed.strip("-"),
    }
    return ("hides", {**values, "claim": _sign(found["claim"])}) if found["claim"] else ("lays", values)


def _parsed_table(head: str, rest: str, names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the key and the values for an event that is not a seat's."""
    if head in {"up", "cut", "refused"} and rest:
        return head, {"cards": show_cards(rest)}
    if head == "shuffle":
        return head, {"n": rest}
    if head == "error" and rest[:1] in SEATS[: len(names)] and rest[1:2] in ("", " "):
        who = names[SEATS.index(rest[0])]
        return (
            ("error", {"who": who, "cards": show_cards(rest[2:])})
            if rest[2:]
            else ("error_hidden", {"who": who})
        )
    seat, _, kind = rest.partition(" ")
    if head == "forfeit" and len(seat) == 1 and seat in SEATS[: len(names)]:
        told = kind if kind in ("stall", "left", "time") else head
        return told, {"who": names[SEATS.index(seat)], "kind": kind}
    return "", {}
