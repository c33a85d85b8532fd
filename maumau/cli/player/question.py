"""Questions to a person at a table, each in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from maumau.cli.player.phrase import phrase_action
from maumau.page.words import KINDS, show_cards
from maumau.screen.output import count_things

ASKED: Final = {
    "turn": "Your turn.",
    "answer": "You must take cards or miss a turn",
    "cover": "The card must be covered.",
    "again": "You may lay another card.",
    "keep": "You cut these cards: which do you keep?",
    "wish": "Which suit do you name?",
    "doubt": "Do you believe the card that was laid face down?",
    "rescue": "You drew a card that you may lay now.",
    "window": "You may react out of turn.",
    "chain": "You may lay another card on the last one.",
    "appeal": "You are accused: accept the penalty, or call the plenum?",
    "vote": "The plenum votes: guilty or innocent?",
    "react": "Touch the table! A number from 0 (at once) to 999; the slowest pays.",
    "rule": "You may add a rule.",
}
TOGETHER: Final = ("window", "appeal", "vote", "react")  # asked without a clock of one's own


def word_question(question: Mapping[str, Any], name: Callable[[int], str]) -> str:
    """Return a question of docs/reference/protocol.md in words; name: returns that of a seat."""
    ask = question["ask"]
    sentence = _word_debt(question) if ask == "answer" else ASKED.get(ask, str(ask))
    if question.get("shown"):
        sentence += f" {show_cards(' '.join(question['shown']))}"
    if question.get("drawn"):
        sentence += f" {show_cards(question['drawn'])}"
    if question.get("after"):
        sentence += f" (after {phrase_action(question['after'], name)})"
    if ask == "doubt" and (claim := question.get("claim")):
        sentence += f" {name(question['by'])} announced {show_cards(claim)}."
    if accused := question.get("accused"):
        sentence += f" {_word_accusation(accused, name)}"
    return sentence


def _word_accusation(accused: Mapping[str, Any], name: Callable[[int], str]) -> str:
    by, seat = name(accused["by"]), name(accused["seat"])
    kind = KINDS.get(accused["kind"], accused["kind"])
    return f"{by} accuse{'' if by == 'you' else 's'} {seat}: {kind}."


def list_actions(question: Mapping[str, Any]) -> list[str]:
    """Return the actions in the order of their numbers: single cards, then combinations of two, of three."""
    return sorted(question["legal"], key=lambda action: action.count("+"))


def _word_debt(question: Mapping[str, Any]) -> str:
    """Return the player's obligation unless they answer the card on top."""
    take, miss = question["owed"], question["skips"]
    words = [f"take {count_things(take, 'card')}"] if take else []
    words += [f"miss {count_things(miss, 'turn')}"] if miss else []
    must = f"You must {' and '.join(words)}" if words else ASKED["answer"]
    return must + ("." if len(question["legal"]) == 1 else ", unless you answer.")
