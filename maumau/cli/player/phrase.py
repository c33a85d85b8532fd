"""Actions and events in the words of a person at a table, with the cards in French signs. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from maumau.errors import UnreadableAction
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.notation.cards import NAMES
from maumau.game.notation.cards import SUITS as SUIT_LETTERS
from maumau.game.record import FORFEIT
from maumau.page.words import KINDS, SUITS, show_cards, tell_event

Names = Callable[[int], str]
SAID: Final = {
    "draw": "draw a card",
    "take": "take the cards",
    "skip": "miss the turn",
    "pass": "pass",
    "hold": "do nothing",
    "accept": "believe it",
    "doubt": "doubt it",
    "decline": "lay no further card",
    "on": "draw on",
    "appeal": "call the plenum",
    "guilty": "guilty",
    "innocent": "innocent",
    "count": "count to five",
    "!": "say “Mau!” now",
    "!!": "say “Mau-Mau!” now",
}
DECLARED: Final = {
    "start": "begin a queen round",
    "end": "end the queen round",
    "sorry": "apologise",
    "willi": "with an astonished face",
}
CALLS: Final = {"": "", "!": " “Mau!”", "!!": " “Mau-Mau!”"}
STAND_IN: Final = "a stand-in"
YOU: Final = "You"
"""The reader's name in the sentences of `tell_player`."""
IRREGULAR: Final = {
    "has": "have",
    "is": "are",
    "misses": "miss",
    "passes": "pass",
    "wishes": "wish",
}
VERB: Final = re.compile(r"(?P<before>^You | and |;? you )(?P<verb>[a-z]+s)\b")


def phrase_action(text: str, name: Names) -> str:
    """Return what an action means to whoever may choose it: `Q♣, wish for ♠`, `keep none`, `draw a card`."""
    try:
        action = parse(text)
    except UnreadableAction:  # an action of a newer arena
        return show_cards(text)
    call = CALLS["!" * action.call]
    if action.word:
        return _phrase_word(action, name) + call
    told = show_cards(" ".join(NAMES[code] for code in action.cards))
    told += f" face down as {show_cards(NAMES[action.claim])}" if action.claim >= 0 else ""
    more = [phrase_wish(action), phrase_target(action, name), DECLARED.get(action.said, "")]
    return ", ".join([told, *(one for one in more if one)]) + call


def _phrase_word(action: Action, name: Names) -> str:
    cards = show_cards(" ".join(NAMES[code] for code in action.cards))
    if action.word in SPOKEN:
        return SPOKEN[action.word](action, cards, name)
    return ", ".join(filter(None, (SAID.get(action.word, action.word), DECLARED.get(action.said))))


SPOKEN: Final[dict[str, Callable[[Action, str, Names], str]]] = {
    "keep": lambda _action, cards, _name: f"keep {cards or 'none'}",
    "rescue": lambda _action, cards, _name: f"lay {cards}",
    "wish": lambda action, _cards, _name: f"wish for {SUITS[SUIT_LETTERS[action.wish]]}",
    "accuse": lambda action, _cards, name: f"accuse {name(action.target or 0)}: {KINDS[action.detail]}",
    "react": lambda action, _cards, _name: action.detail,
    "rule": lambda action, _cards, _name: "no rule" if action.detail == "-" else show_cards(action.detail),
}
"""Words of actions that name something after a colon."""


def phrase_wish(action: Action) -> str:
    """Return the suit wished for with a card, or an empty string."""
    if action.wish < 0 or action.word == "wish":
        return ""
    return f"wish for {SUITS[SUIT_LETTERS[action.wish]]}"


def phrase_target(action: Action, name: Names) -> str:
    """Return whom a card hits, or an empty string."""
    if action.target is None or action.word:
        return ""
    return "hit nobody" if action.target < 0 else f"hit {name(action.target)}"


def tell_player(event: str, names: Sequence[str]) -> str:
    """Return an event in a sentence; the reader's own name is `YOU`."""
    told = tell_event(event, names)
    if told.startswith(f"{YOU} "):
        return VERB.sub(_second_person, told)
    return re.sub(rf"\b{YOU}\b", YOU.lower(), told)


def tell_events(events: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return each event in a sentence; a stand-in acts where a seat has lost, or only one is left."""
    told, lost = list[str](), set[str]()
    for event in events:
        seat = SEATS.find(event[0])
        if fault := FORFEIT.fullmatch(event):
            lost.add(fault[1])
            told.append(_tell_loss(names[SEATS.index(fault[1])], fault[2]))
            continue
        acting = list(names)
        alone = len(names) - len(lost) <= 1
        if event[1:2] == " " and 0 <= seat < len(names) and (alone or event[0] in lost):
            acting[seat] = f"{STAND_IN} for {YOU.lower() if names[seat] == YOU else names[seat]}"
        told.append(tell_player(event, acting))
    return told


def _tell_loss(who: str, kind: str) -> str:
    verb, have = ("are", "have") if who == YOU else ("is", "has")
    why = f"{verb} out of time and {have} lost" if kind == "time" else f"{have} lost by a fault ({kind})"
    return f"{who} {why}; {STAND_IN} plays on"


def _second_person(found: re.Match[str]) -> str:
    verb = found["verb"]
    return found["before"] + IRREGULAR.get(verb, verb[:-1])


def phrase_sayings(also: Sequence[str], letters: str, name: Names) -> list[str]:
    """Return what may be said besides, each behind its letter; whom accusations hit is said once for all."""
    phrases, accused = [], ""
    for letter, text in zip(letters, also, strict=False):
        whom, _, kind = text.removeprefix("accuse@").partition(":")
        if not text.startswith("accuse@") or whom not in SEATS or kind not in KINDS:
            phrases.append(f"{letter} {phrase_action(text, name)}")
            continue
        first = f"accuse {name(SEATS.index(whom))}: " if whom != accused else ""
        phrases.append(f"{first}{letter} {KINDS[kind]}")
        accused = whom
    return phrases


def phrase_top(view: Mapping[str, Any], name: Names) -> str:
    """Return the card that counts, the suit that was wished for, and a card that is only announced yet."""
    told = f"on top {show_cards(view['top'])}" if view["top"] else "nothing on top yet"
    told += f", {SUITS[view['wish']]} is wished for" if view["wish"] else ""
    return told + (f", {name(view['by'])} announced {show_cards(view['claim'])}" if view.get("claim") else "")
