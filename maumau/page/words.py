"""What happened in a deal, in words with the cards as signs, in English and German. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from maumau.game.action import SEATS

SUITS: Final = dict(zip("CSHD", "♣♠♥♦", strict=True))
CARD: Final = r"(?:[2-9TJQKA][CSHD]|XX)"
LAID: Final = re.compile(
    rf"(?P<cards>{CARD}(?:\+{CARD})*)(?:~(?P<claim>{CARD}))?(?:>(?P<wish>[CSHD]))?(?P<call>!{{0,2}})"
)
BLIND: Final = re.compile(rf"~(?P<claim>{CARD})(?:>(?P<wish>[CSHD]))?(?P<call>!{{0,2}})")

WORDS: Final[dict[str, tuple[str, str]]] = {
    "lays": ("{who} lays {cards}", "{who} legt {cards}"),
    "claims": ("{who} lays a card face down and claims {claim}", "{who} legt verdeckt und sagt {claim} an"),
    "hides": (
        "{who} lays {cards} face down and claims {claim}",
        "{who} legt {cards} verdeckt und sagt {claim} an",
    ),
    "wishes": (" and wishes {suit}", " und wünscht {suit}"),
    "wish": ("{who} wishes {suit}", "{who} wünscht {suit}"),
    "mau": (", “Mau!”", ", „Mau!“"),
    "mau_mau": (", “Mau-Mau!”", ", „Mau-Mau!“"),
    "draws": ("{who} draws a card", "{who} zieht eine Karte"),
    "draws_card": ("{who} draws {cards}", "{who} zieht {cards}"),
    "take": ("{who} has no answer", "{who} kann nicht kontern"),
    "takes": ("{who} takes {n}", "{who} nimmt {n}"),
    "takes_cards": ("{who} takes {n}: {cards}", "{who} nimmt {n}: {cards}"),
    "skipped": ("{who} misses a turn", "{who} setzt aus"),
    "out": ("{who} is out", "{who} ist fertig"),
    "pass": ("{who} passes", "{who} passt"),
    "keep": ("{who} keeps the card", "{who} behält die Karte"),
    "keeps": ("{who} keeps {cards} of the cut", "{who} behält {cards} vom Abheben"),
    "keeps_none": ("{who} keeps none of the cut", "{who} behält nichts vom Abheben"),
    "accept": ("{who} believes it", "{who} glaubt es"),
    "doubt": ("{who} doubts it", "{who} zweifelt"),
    "shows": ("{who} shows {cards}", "{who} zeigt {cards}"),
    "back": ("{who} takes {cards} back", "{who} nimmt {cards} zurück"),
    "side": ("{who} gets a penalty card", "{who} bekommt eine Strafkarte"),
    "unside": ("{who} picks up a penalty card", "{who} nimmt eine Strafkarte auf"),
    "in": ("{who} throws {cards} in", "{who} wirft {cards} ein"),
    "up": ("{cards} is turned up", "{cards} wird aufgedeckt"),
    "cut": ("the cut shows {cards}", "beim Abheben liegt {cards} offen"),
    "refused": ("{cards} may not be turned up", "{cards} darf nicht aufgedeckt werden"),
    "shuffle": ("the pile becomes the stock: {n} cards", "der Stapel wird neu gemischt: {n} Karten"),
    "forfeit": (
        "{who} loses the deal by a fault: {kind}",
        "{who} verliert das Spiel durch einen Fehler: {kind}",
    ),
    "held": ("nobody reacts", "niemand greift ein"),
    "deals": ("{who} gets {cards}", "{who} bekommt {cards}"),
}
LANGUAGES: Final = ("en", "de")


def show_cards(text: str) -> str:
    """Notation with the cards and suits in it as signs: `TC KD` is `10♣ K♦`."""
    return re.sub(rf"(?<![A-Za-z0-9])({CARD})(?![A-Za-z0-9])", lambda found: _sign(found[1]), text)


def tell_event(event: str, names: Sequence[str], language: str = "en") -> str:
    """An event of a deal in one sentence; names are by seat. What has no words is shown as it is."""
    column = LANGUAGES.index(language)
    head, _, rest = event.partition(" ")
    who = names[SEATS.index(head)] if len(head) == 1 and head in SEATS[: len(names)] else ""
    key, values = _parsed(rest) if who else _parsed_table(head, rest, names)
    if not key:
        return f"{who}: {show_cards(rest)}" if who else show_cards(event)
    told = WORDS[key][column].format(**{"who": who, **values})
    if suit := values.get("wished"):
        told += WORDS["wishes"][column].format(suit=SUITS[suit])
    if call := values.get("call"):
        told += WORDS["mau" if call == "!" else "mau_mau"][column]
    return told


def _sign(card: str) -> str:
    if card == "XX":
        return "★"
    return ("10" if card[0] == "T" else card[0]) + SUITS[card[1]]


def _parsed(rest: str) -> tuple[str, dict[str, str]]:  # noqa: PLR0911 - a line for each kind
    """What a seat did: the key of its words and what goes into them; "" if there are none."""
    first, _, more = rest.partition(" ")
    cards = {"cards": show_cards(more)}
    plain = {"skipped", "out", "pass", "keep", "accept", "doubt", "take"}
    if rest in plain:
        return rest, {}
    if rest.startswith("keep:"):
        kept = rest.removeprefix("keep:")
        return ("keeps_none", {}) if kept == "-" else ("keeps", {"cards": show_cards(kept.replace("+", " "))})
    if rest.startswith("wish:") and rest[5:] in SUITS:
        return "wish", {"suit": SUITS[rest[5:]]}
    if first == "draw":
        return ("draws_card", cards) if more else ("draws", {})
    if re.fullmatch(r"\+\d+", first):
        return ("takes_cards" if more else "takes"), {"n": first[1:], **cards}
    if first == "side" and more:
        return ("side" if more.startswith("+") else "unside"), {}
    if first in {"shows", "back"} and more:
        return first, cards
    if more == "in":
        return "in", {"cards": show_cards(first)}
    return _parsed_laid(rest)


def _parsed_laid(rest: str) -> tuple[str, dict[str, str]]:
    if found := BLIND.fullmatch(rest):
        return "claims", {"claim": _sign(found["claim"]), "wished": found["wish"], "call": found["call"]}
    if not (found := LAID.fullmatch(rest.removeprefix("rescue:"))):
        return "", {}
    cards = " ".join(_sign(card) for card in found["cards"].split("+"))
    values = {"cards": cards, "wished": found["wish"], "call": found["call"]}
    return ("hides", {**values, "claim": _sign(found["claim"])}) if found["claim"] else ("lays", values)


def _parsed_table(head: str, rest: str, names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """What nobody's seat did."""
    if head in {"up", "cut", "refused"} and rest:
        return head, {"cards": show_cards(rest)}
    if head == "shuffle":
        return head, {"n": rest}
    if head == "held" and not rest:
        return head, {}
    seat, _, kind = rest.partition(" ")
    if head == "forfeit" and len(seat) == 1 and seat in SEATS[: len(names)]:
        return head, {"who": names[SEATS.index(seat)], "kind": kind}
    return "", {}
