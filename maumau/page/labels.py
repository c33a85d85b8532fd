"""Labels of a replay besides its events: on the page and in the file alike. Pure."""

from __future__ import annotations

from typing import Final

from maumau.page.catalogue import translate_texts

ASKED: Final = {
    "turn": "{n} is to play",
    "answer": "{n} may still answer",
    "cover": "{n} must cover the card",
    "again": "{n} may lay another card",
    "keep": "{n} may keep cards of the cut",
    "wish": "{n} names a suit",
    "doubt": "{n} believes or doubts it",
    "rescue": "{n} may lay the card just drawn",
    "window": "{n} may react",
    "chain": "{n} may lay a card on the last one",
    "appeal": "{n} accepts the penalty or appeals",
    "vote": "{n} votes: guilty or innocent",
    "react": "{n} touches the table",
    "rule": "{n} may add a rule",
}
"""Decisions of seats, by the `ask` of docs/reference/protocol.md."""
ACTIONS: Final = {
    "draw": "draw",
    "pass": "pass",
    "take": "take the cards",
    "on": "draw on",
    "hold": "do nothing",
    "skip": "miss the turn",
    "keep": "keep the card",
    "keep:-": "keep none",
    "keep:": "keep {n}",
    "accept": "believe it",
    "doubt": "doubt it",
    "decline": "lay no further card",
    "wish:": "wish for {n}",
    "appeal": "call the plenum",
    "guilty": "vote guilty",
    "innocent": "vote innocent",
    "count": "count to five",
}
"""Actions that lay no card, by their notation; the ones that end in ":" are followed by cards or a suit."""
WORDS: Final[dict[str, str]] = {
    "replay": "Replay",
    "stock_n": "stock: {n}",
    "owed_n": "{n} to take",
    "skips_n": "skips {n}",
    "begins": "The deal begins.",
    "place_n": "place {n}",
    "start": "▶ Play",
    "pause": "❚❚ Pause",
    "seat_n": "seat {n}",
    "to_first": "to the beginning",
    "step_back": "one step back",
    "step_on": "one step forward",
    "to_last": "to the end",
    "step": "step",
    "where_they_part": "Where they differ",
    "view": "Cards",
    "open_cards": "all open",
    "speed": "Speed",
    "keys": "Keys",
    "seating_n": "seating {n}",
    "cards_n": "{n} cards",
    "cards_one": "1 card",
    "claimed": "claimed:",
    "wish": "wish",
    "suits": "French or German suits",
    "light_dark": "Light or dark",
    "language": "Language",
    "keys_say": "← → step · space: play · Home, End · a, b, …: that seat's view · o: all cards open · p: where seatings differ · n, N: next and previous deal of a file · ?: this help",
    "events": "What happened",
    **{f"asked_{kind}": said for kind, said in ASKED.items()},
    **{f"action_{action}": said for action, said in ACTIONS.items()},
    "or": "or",
    "is_out": "out",
    "points_n": "points: {n}",
    "deals": "Deal",
    "deal_n": "deal {n}",
    "log_of": "log of #",
    "blamed": "# lost this deal:",
    "stands_in": "From then on a stand-in plays #'s cards.",
    "no_scripts": "This file shows the table if your browser runs JavaScript; it loads nothing from the network. Without it, this is what happened:",
}


def list_labels(language: str) -> dict[str, str]:
    """Return the labels for the scripts: "#" stands for the number or the name that they insert."""
    return {key: text.replace("{n}", "#") for key, text in translate_texts(WORDS, language).items()}
